// SPDX-License-Identifier: Apache-2.0

/**
 * The length of the shortest integers that a number cannot hold exactly. Inspecting each number takes ten times as long
 * as parsing the text.
 */
const longInteger = /\d{16}/;

/**
 * Digits and sign of the longest 64-bit integer. Longer ones occur in no API, and converting a million digits to a
 * bigint is slow.
 */
const maxIntegerLength = 20;

/**
 * Parses JSON and keeps 64-bit integers exact: those that a number cannot hold become bigints. Throws a SyntaxError,
 * and a RangeError for nesting deeper than the stack.
 */
export function parseExactJson(text: string): unknown {
  return longInteger.test(text) ? JSON.parse(text, keepInteger) : JSON.parse(text);
}

/** The third argument holds the number's source text, if the runtime provides it. */
function keepInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? "";
  const isLost = typeof value === "number" && !Number.isSafeInteger(value);
  return isLost && source.length <= maxIntegerLength && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
