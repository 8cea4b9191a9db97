// SPDX-License-Identifier: Apache-2.0

/** Control characters (escape sequences start with one) and those that turn the direction of text. */
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The same without what ends a line or a column: a document of many lines has those. */
const unsafeInLines = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * `text` on one line and harmless to a terminal: what could move the cursor, colour the screen or reverse the reading
 * order is shown as its code. For everything that another party wrote: descriptions, names, messages of a hub.
 */
export function toTerminalText(text: string): string {
  return text.replace(unsafe, toCode);
}

/** True where a document of many lines holds a character that could steer a terminal. */
export function isUnsafeInLines(text: string): boolean {
  return text.search(unsafeInLines) !== -1;
}

/** A document of many lines with those characters as their codes. In JSON, and between double quotes in YAML, the code stands for the character. */
export function escapeInLines(text: string): string {
  return text.replace(unsafeInLines, toCode);
}

function toCode(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
