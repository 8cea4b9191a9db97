// SPDX-License-Identifier: Apache-2.0
import { quoteGo } from "./quote-go.ts";

/** A text that is not JSON. The message is what Go's decoder says of it, without any frame; whoever knows the request adds that. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
}

/** The text ends before its value does. */
export function endedEarly(): JsonTextError {
  return new JsonTextError("unexpected end of JSON input");
}

/** A character that cannot stand where it does. Go reads bytes: of a character beyond ASCII it names the first byte, as if that were Latin-1. */
export function misplaced(text: string, at: number, context: string): JsonTextError {
  // Go ends a text by reading one space more, which is what a cut-off literal trips over.
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
