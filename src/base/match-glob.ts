// SPDX-License-Identifier: Apache-2.0

/**
 * True if the whole `text` matches `glob`: `*` matches any text including none, `?` one character, everything else
 * itself. Takes at most the product of both lengths: on a mismatch only the last `*` takes one more character.
 */
export function matchGlob(glob: string, text: string): boolean {
  let at = 0;
  let globAt = 0;
  let starAt = -1;
  let starText = 0;
  while (at < text.length) {
    const wanted = glob[globAt];
    if (wanted === "*") {
      starAt = globAt;
      starText = at;
      globAt += 1;
    } else if (wanted === "?" || wanted === text[at]) {
      globAt += 1;
      at += 1;
    } else if (starAt >= 0) {
      starText += 1;
      at = starText;
      globAt = starAt + 1;
    } else {
      return false;
    }
  }
  while (glob[globAt] === "*") globAt += 1;
  return globAt === glob.length;
}
