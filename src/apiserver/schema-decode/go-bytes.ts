// SPDX-License-Identifier: Apache-2.0

/** A text that is not base64, with the message of Go's encoding/base64. */
export class GoBase64Error extends Error {
  override readonly name = "GoBase64Error";

  constructor(at: number) {
    super(`illegal base64 data at input byte ${at}`);
  }
}

const canonicalPattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/;

/** Base64 as Go encodes the bytes again: without line breaks and stray bits. Throws a GoBase64Error. */
export function canonicalBase64(text: string): string {
  const compact = text.replaceAll(/[\r\n]/g, "");
  if (!canonicalPattern.test(compact)) throw new GoBase64Error(firstIllegalByte(text));
  return compact.endsWith("=") ? dropStrayBits(compact) : compact;
}

/** Base64 of bytes given as numbers, which Go accepts too. */
export function toBase64(bytes: readonly number[]): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Clears the bits of the last character that belong to no byte, as Go's encoding does. */
function dropStrayBits(compact: string): string {
  const head = compact.slice(0, -4);
  return head + btoa(atob(compact.slice(-4)));
}

/** The byte at which Go stops: the first unexpected character, or the end of a text that is too short. */
function firstIllegalByte(text: string): number {
  let filled = 0;
  let at = 0;
  for (; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\r" || char === "\n") continue;
    if (char === "=") return illegalPadding(text, at, filled);
    if (!/[A-Za-z0-9+/]/.test(char)) return byteOffset(text, at);
    filled = (filled + 1) % 4;
  }
  return byteOffset(text, at) - filled;
}

function illegalPadding(text: string, first: number, filled: number): number {
  if (filled < 2) return byteOffset(text, first);
  let at = skipBreaks(text, first + 1);
  if (filled === 2) {
    if (at === text.length) return byteOffset(text, at);
    if (text.charAt(at) !== "=") return byteOffset(text, at) - 1;
    at = skipBreaks(text, at + 1);
  }
  return byteOffset(text, at);
}

function skipBreaks(text: string, from: number): number {
  let at = from;
  while (text.charAt(at) === "\r" || text.charAt(at) === "\n") at += 1;
  return at;
}

function byteOffset(text: string, at: number): number {
  return new TextEncoder().encode(text.slice(0, at)).length;
}
