// SPDX-License-Identifier: Apache-2.0

/**
 * Compares two well-formed texts as their UTF-8 bytes would (ST1). JavaScript's own `<` compares UTF-16 units, which puts
 * U+E000..U+FFFF after the characters that take two units; databases do not.
 */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Moves surrogates above the rest of the 16-bit range, where the code points they stand for belong. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
