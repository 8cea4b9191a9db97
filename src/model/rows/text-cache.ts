// SPDX-License-Identifier: Apache-2.0

/** A text may begin with a byte order mark, which is part of it. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The number of cached texts, a power of two. The labels, namespaces, images and reasons of a cluster are some
 * hundreds. At 64 characters each the cache takes 100 KiB.
 */
const textCount = 1_024;

/** The longest cached text. A longer one rarely repeats. */
const maxHeldLength = 64;

/**
 * Decodes UTF-8 and builds repeated short texts once: rows share most of theirs. It holds a bounded number; a new text
 * replaces an older one.
 */
export class TextCache {
  readonly #texts: string[] = Array.from({ length: textCount }, () => "");

  /** The text of `bytes` from `from` to `to`, which must be well-formed. */
  get(bytes: Uint8Array, from: number, to: number): string {
    const byteCount = to - from;
    if (byteCount === 0) return "";
    if (byteCount > maxHeldLength) return decoder.decode(bytes.subarray(from, to));
    let hash = byteCount;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    const place = (hash ^ (hash >>> 15)) & (textCount - 1);
    const held = this.#texts[place] ?? "";
    if (isText(held, bytes, from, to)) return held;
    const text = decoder.decode(bytes.subarray(from, to));
    if (text.length === byteCount) this.#texts[place] = text;
    return text;
  }
}

/** For ASCII texts, which have as many characters as bytes. No other text is cached. */
function isText(text: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) !== bytes[from + at]) return false;
  return true;
}
