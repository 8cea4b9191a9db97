// SPDX-License-Identifier: Apache-2.0
import { quoteGo } from "./quote-go.ts";

/** A text that is not JSON. The message is that of Go's decoder; the caller adds the context of the request. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
}

/** The text ends before its value. */
export function endedEarly(): JsonTextError {
  return new JsonTextError("unexpected end of JSON input");
}

/** An unexpected character. Go reads bytes: for a character beyond ASCII the message has its first byte as Latin-1. */
export function misplaced(text: string, at: number, context: string): JsonTextError {
  // Go's scanner reads one space after the end of the text, which a truncated literal reports.
  const code = at < text.length ? (text.codePointAt(at) ?? 0x20) : 0x20;
  const shown = String.fromCharCode(firstByte(code));
  const quoted = shown === "'" ? "'\\''" : shown === '"' ? `'"'` : `'${quoteGo(shown).slice(1, -1)}'`;
  return new JsonTextError(`invalid character ${quoted} ${context}`);
}

/** The first byte of a code point in UTF-8. */
function firstByte(code: number): number {
  if (code < 0x80) return code;
  if (code < 0x800) return 0xc0 | (code >> 6);
  return code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
}
