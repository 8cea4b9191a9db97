// SPDX-License-Identifier: Apache-2.0

/** One figure: a line for people, and the same as JSON for `npm run bench` to keep. */
export function report(what: string, figures: Readonly<Record<string, number | string | boolean>>): void {
  const shown = Object.entries(figures).map(([name, figure]) => `${name} ${shownAs(figure)}`);
  console.log(`${what.padEnd(44)} ${shown.join("  ")}`);
  console.log(JSON.stringify({ bench: "store", what, ...figures }));
}

function shownAs(figure: number | string | boolean): string {
  if (typeof figure !== "number") return String(figure);
  return figure >= 100 ? Math.round(figure).toLocaleString("en") : figure.toFixed(2);
}

/** Heap and everything else of this process, in MiB, after a collection where the runtime allows one. */
export function readRssMib(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1024 / 1024;
}
