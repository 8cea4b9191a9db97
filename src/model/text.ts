// SPDX-License-Identifier: Apache-2.0
// Text functions that the language lacks: byte order, byte limits, quoting of foreign text.

const encoder = new TextEncoder();

/** Most characters of a refused value that a message shows (CO59): enough to recognise it, too few to fill a log. */
const quotedCharCount = 64;

/**
 * Maps UTF-16 code units to the order of their code points: surrogates, which encode U+10000 and up, sort after U+FFFF.
 */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/**
 * Compares well-formed texts by their UTF-8 bytes, without encoding them. JavaScript's `<` differs for code points
 * above U+FFFF.
 */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** The number of UTF-8 bytes of the text. */
export function utf8ByteCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) count += 1;
    else if (unit < 0x800) count += 2;
    else if (unit < 0xd800 || unit >= 0xe000) count += 3;
    else {
      // A pair has four bytes; a lone surrogate becomes U+FFFD, which has three.
      const isPair = unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
      count += isPair ? 4 : 3;
      if (isPair) at += 1;
    }
  }
  return count;
}

/**
 * `text` if it fits into `maxBytes`; else its beginning up to a whole code point, followed by `…`, within `maxBytes`.
 */
export function cutText(text: string, maxBytes: number): string {
  // A UTF-16 unit has at most three UTF-8 bytes, so most texts need no counting.
  if (text.length * 3 <= maxBytes || utf8ByteCount(text) <= maxBytes) return text;
  const ellipsis = "…";
  const room = new Uint8Array(maxBytes - utf8ByteCount(ellipsis));
  return text.slice(0, encoder.encodeInto(text, room).read) + ellipsis;
}

/** Foreign text for messages: in double quotes, control characters escaped, cut after 64 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length <= quotedCharCount ? text : `${text.slice(0, quotedCharCount)}…`);
}
