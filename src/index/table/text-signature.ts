// SPDX-License-Identifier: Apache-2.0
// Which pairs of adjacent bytes a text has, as 128 bits: one bit stands for many pairs. A text that contains another one
// has at least its bits, so that most texts are ruled out without being read. Names set some fifth of the bits.

/** Words of 32 bits. */
export const signatureWords = 4;

/** `signatureWords` words. */
export type TextSignature = Int32Array;

/** A capital letter of ASCII as a small one. */
export function toSmallByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

/**
 * The signature of a text, which is the same for capital and small letters of ASCII. Texts that are not ASCII have all
 * bits, so that they are never ruled out: their small letters may be other letters.
 */
export function signatureOf(bytes: Uint8Array, from: number, end: number): TextSignature {
  const words = new Int32Array(signatureWords);
  let [all, before] = [0, 0];
  for (let at = from; at < end; at += 1) {
    const byte = toSmallByte(bytes[at] ?? 0);
    all |= byte;
    if (at > from) {
      const hash = Math.imul((before << 8) | byte, 0x9e3779b1) >>> 25;
      words[hash >>> 5] = (words[hash >>> 5] ?? 0) | (1 << (hash & 31));
    }
    before = byte;
  }
  return all < 0x80 ? words : words.fill(-1);
}
