// SPDX-License-Identifier: Apache-2.0

const part = /^(?:\d+(?:\.\d*)?|\.\d+)/;
const unit = /^[^\d.]+/;
const units = new Set(["ns", "us", "µs", "μs", "ms", "s", "m", "h"]);

/** What is wrong with a length of time as Go writes it (`1h30m`), in Go's words; undefined when it is fine. Overflow is not told. */
export function goDurationError(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === "0") return undefined;
  if (rest === "") return `time: invalid duration ${quoted}`;
  while (rest !== "") {
    const number = part.exec(rest)?.[0];
    if (number === undefined) return `time: invalid duration ${quoted}`;
    rest = rest.slice(number.length);
    const name = unit.exec(rest)?.[0];
    if (name === undefined) return `time: missing unit in duration ${quoted}`;
    if (!units.has(name)) return `time: unknown unit ${JSON.stringify(name)} in duration ${quoted}`;
    rest = rest.slice(name.length);
  }
  return undefined;
}
