// SPDX-License-Identifier: Apache-2.0
// The only place where a user's regular expression is compiled: by an engine whose time grows with text and pattern, never beyond.
import { RE2JS, RE2JSSyntaxException } from "re2js";

/** A user's regular expression in Go's syntax. */
export interface Pattern {
  /** True if some part of the text matches. */
  matches(text: string): boolean;
  /** About how many steps a match takes at most; a step is some ten nanoseconds. */
  stepCount(text: string): number;
}

/** Compiles a pattern, or gives the sentence that Go says about a wrong one. */
export function compilePattern(source: string): Pattern | string {
  try {
    const compiled = RE2JS.compile(source);
    const size = compiled.programSize();
    return { matches: (text) => compiled.test(text), stepCount: (text) => size * (text.length + 1) };
  } catch (reason) {
    if (reason instanceof RE2JSSyntaxException) return describeMistake(reason, source);
    throw reason;
  }
}

/** Go always shows the part that is wrong, which may be nothing or the whole. */
function describeMistake(mistake: RE2JSSyntaxException, source: string): string {
  if (mistake.message.endsWith("`")) return mistake.message;
  const part = mistake.message.endsWith("nests too deeply") ? source : "";
  return `${mistake.message}: \`${part}\``;
}
