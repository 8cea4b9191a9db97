// SPDX-License-Identifier: Apache-2.0

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

/** Quotes a text as Go's %q does. Unlike in JSON, every non-printable character is escaped. */
export function quoteGo(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let quoted = "";
  for (const char of text.toWellFormed())
    quoted += shortEscapes.get(char) ?? (isPrintableInGo(char) ? char : escape(char));
  return `"${quoted}"`;
}

/** Go's definition: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintableInGo(char: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char);
}

function escape(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, digitCount: number): string {
  return code.toString(16).padStart(digitCount, "0");
}
