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

/** Ages below this count as fresh and are not shown (PG18). */
export const freshMs = 5_000;
