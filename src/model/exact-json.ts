// SPDX-License-Identifier: Apache-2.0

/** As long as the shortest integers that a number cannot hold. To look at each number takes ten times as long as to read the text. */
const longInteger = /\d{16}/;

/** Digits and sign of the longest integer of 64 bits; longer ones are of no API, and a bigint of a million digits takes its time. */
const maxIntegerLength = 20;

/** What JSON says, integers of 64 bits as they are written: those that a number cannot hold are bigints. Throws a SyntaxError, and a RangeError for what is nested deeper than the stack. */
export function parseExactJson(text: string): unknown {
  return longInteger.test(text) ? JSON.parse(text, keepInteger) : JSON.parse(text);
}

/** The text of a number is the third argument, where the runtime tells it. */
function keepInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? "";
  const isLost = typeof value === "number" && !Number.isSafeInteger(value);
  return isLost && source.length <= maxIntegerLength && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
