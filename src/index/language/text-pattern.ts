// SPDX-License-Identifier: Apache-2.0

const wildcards = new Set(["*", "?"]);

/** True if an unescaped `*` or `?` is in the pattern (QL4). */
export function hasWildcard(pattern: string): boolean {
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === "\\") at += 1;
    else if (wildcards.has(pattern[at] ?? "")) return true;
  }
  return false;
}

/** The text of a pattern without its escapes. Wildcards count as themselves. */
export function literalOf(pattern: string): string {
  return pattern.replace(/\\(.)/gsu, "$1");
}

/** The pattern that matches exactly this text. */
export function escapePattern(text: string): string {
  return text.replace(/[\\*?]/g, "\\$&");
}

/**
 * A test of whole texts: `*` matches any text including none, `?` one UTF-16 unit. Takes at most the product of both
 * lengths: on a mismatch only the last `*` takes one more character.
 */
export function createPatternTest(pattern: string): (text: string) => boolean {
  const wanted: string[] = [];
  const isWild: boolean[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const isEscape = pattern[at] === "\\" && at + 1 < pattern.length;
    if (isEscape) at += 1;
    const character = pattern[at] ?? "";
    wanted.push(character);
    isWild.push(!isEscape && wildcards.has(character));
  }
  const isStar = (at: number): boolean => isWild[at] === true && wanted[at] === "*";
  return (text) => {
    let [at, patternAt, starAt, starText] = [0, 0, -1, 0];
    while (at < text.length) {
      if (isStar(patternAt)) {
        starAt = patternAt;
        starText = at;
        patternAt += 1;
      } else if (patternAt < wanted.length && (isWild[patternAt] === true || wanted[patternAt] === text[at])) {
        patternAt += 1;
        at += 1;
      } else if (starAt >= 0) {
        starText += 1;
        at = starText;
        patternAt = starAt + 1;
      } else {
        return false;
      }
    }
    while (isStar(patternAt)) patternAt += 1;
    return patternAt === wanted.length;
  };
}
