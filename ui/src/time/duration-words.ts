// SPDX-License-Identifier: Apache-2.0

const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** A duration in its largest unit: "40 s", "4 min", "3 h", "12 d". Below a second is "0 s". Never rounded up. */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [unit, size] = units.find(([, each]) => seconds >= each) ?? ["s", 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** The same with the next smaller unit, if that is not 0: "1 h 20 min". */
export function exactDurationWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const at = units.findIndex(([, each]) => seconds >= each);
  const [unit, size] = units[at] ?? ["s", 1];
  const next = units[at + 1];
  const first = `${Math.floor(seconds / size)} ${unit}`;
  const rest = next === undefined ? 0 : Math.floor((seconds % size) / next[1]);
  return next === undefined || rest === 0 ? first : `${first} ${rest} ${next[0]}`;
}

/** Ages below this count as fresh and are not shown (PG18). */
export const freshMs = 5_000;
