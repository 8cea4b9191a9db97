// SPDX-License-Identifier: Apache-2.0
import { loadavg } from "node:os";

/** What a figure is held against: a limit that was promised, or what another program needs for the same. */
export type Against =
  | { readonly kind: "atMost" | "atLeast"; readonly value: number }
  | { readonly kind: "peer"; readonly name: string; readonly value: number };

/** One figure of a promise. */
export interface PromiseFigure {
  readonly bench: string;
  readonly what: string;
  readonly ours: number;
  readonly unit: string;
  /** Undefined: nothing was promised, the figure is kept to be compared with later ones. */
  readonly against?: Against;
  /** What else is worth keeping of it. */
  readonly more?: Readonly<Record<string, number | string | boolean>>;
}

/**
 * Prints `what | ours | peer or goal | ratio`, and the same as JSON for `npm run bench` to keep, with the load of the
 * machine at that moment.
 */
export function reportPromise({ bench, what, ours, unit, against, more = {} }: PromiseFigure): void {
  const ratio = against === undefined ? undefined : ours / against.value;
  const cells = [
    what,
    shown(ours, unit),
    shownAgainst(against, unit),
    ratio === undefined ? "-" : ratio.toPrecision(3),
  ];
  const rest = Object.entries(more).map(
    ([name, value]) => `${name} ${typeof value === "number" ? shown(value, "") : value}`,
  );
  console.log(
    `${cells.join(" | ")}${verdict(against, ours)}${rest.length === 0 ? "" : ` (${rest.join(", ").trim()})`}`,
  );
  const load = Number(loadavg()[0]?.toFixed(1));
  console.log(JSON.stringify({ bench, what, ours, unit, ...flat(against, ours), ratio, ...more, load }));
}

function meets(against: Against | undefined, ours: number): boolean | undefined {
  if (against === undefined || against.kind === "peer") return undefined;
  return against.kind === "atMost" ? ours <= against.value : ours >= against.value;
}

function verdict(against: Against | undefined, ours: number): string {
  const isMet = meets(against, ours);
  if (isMet === undefined) return "";
  return isMet ? " | met" : " | MISSED";
}

function flat(against: Against | undefined, ours: number): object {
  if (against === undefined) return {};
  if (against.kind === "peer") return { peer: against.name, peerValue: against.value };
  return { goal: `${against.kind === "atMost" ? "<=" : ">="} ${against.value}`, meetsGoal: meets(against, ours) };
}

function shownAgainst(against: Against | undefined, unit: string): string {
  if (against === undefined) return "-";
  if (against.kind === "peer") return `${against.name} ${shown(against.value, unit)}`;
  return `goal ${against.kind === "atMost" ? "<=" : ">="} ${shown(against.value, unit)}`;
}

function shown(value: number, unit: string): string {
  const text = Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toFixed(2)));
  return `${text} ${unit}`.trim();
}

/** The value below which that part of the sorted ones lies; NaN of none. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
