// SPDX-License-Identifier: Apache-2.0

/** Control characters (escape sequences start with one) and characters that change the text direction. */
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The same without newline and tab, for multi-line documents. */
const unsafeInLines = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * `text` on one line and safe for a terminal: characters that could move the cursor, colour the screen or reverse the
 * reading order are shown as their codes. Use it for all text from another party: descriptions, names, messages of a
 * hub.
 */
export function toTerminalText(text: string): string {
  return text.replace(unsafe, toCode);
}

/** True if a multi-line document contains such a character. */
export function isUnsafeInLines(text: string): boolean {
  return text.search(unsafeInLines) !== -1;
}

/**
 * A multi-line document with those characters escaped. In JSON, and between double quotes in YAML, the escape means the
 * character.
 */
export function escapeInLines(text: string): string {
  return text.replace(unsafeInLines, toCode);
}

function toCode(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
