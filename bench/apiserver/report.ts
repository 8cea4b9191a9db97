// SPDX-License-Identifier: Apache-2.0

type Figure = number | string | boolean;

/** One result: a line for people, and the same as JSON for `npm run bench` to keep. */
export function report(what: string, figures: Readonly<Record<string, Figure>>): void {
  const shown = Object.entries(figures).map(([name, figure]) => `${name} ${shownAs(figure)}`);
  console.log(`${what.padEnd(44)} ${shown.join("  ")}`);
  console.log(JSON.stringify({ bench: "apiserver", what, ...figures }));
}

function shownAs(figure: Figure): string {
  if (typeof figure !== "number") return String(figure);
  return figure >= 100 ? Math.round(figure).toLocaleString("en") : figure.toFixed(2);
}

/** The least and the greatest of several runs, beside the figure that they make up. */
export function spread(values: readonly number[]): string {
  return `${shownAs(Math.min(...values))}..${shownAs(Math.max(...values))}`;
}

/** The middle one of several runs: what other work on the machine does to a single one does not count. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
