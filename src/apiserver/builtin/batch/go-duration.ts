// SPDX-License-Identifier: Apache-2.0

const part = /^(?:\d+(?:\.\d*)?|\.\d+)/;
const unit = /^[^\d.]+/;
const msOf: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["µs", 1e-3],
  ["μs", 1e-3],
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/**
 * Parses a Go duration (`1h30m`) to milliseconds. Returns Go's error message for invalid text. Overflow is not
 * detected.
 */
export function parseGoDuration(text: string): number | string {
  const quoted = JSON.stringify(text);
  const sign = text.startsWith("-") ? -1 : 1;
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === "0") return 0;
  if (rest === "") return `time: invalid duration ${quoted}`;
  let totalMs = 0;
  while (rest !== "") {
    const number = part.exec(rest)?.[0];
    if (number === undefined) return `time: invalid duration ${quoted}`;
    rest = rest.slice(number.length);
    const name = unit.exec(rest)?.[0];
    if (name === undefined) return `time: missing unit in duration ${quoted}`;
    const ms = msOf.get(name);
    if (ms === undefined) return `time: unknown unit ${JSON.stringify(name)} in duration ${quoted}`;
    totalMs += Number(number) * ms;
    rest = rest.slice(name.length);
  }
  return sign * totalMs;
}
