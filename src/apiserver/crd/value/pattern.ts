// SPDX-License-Identifier: Apache-2.0
// The only place that compiles a user's regular expression. The engine (RE2) takes at most time proportional to the
// size of the pattern times the length of the text.
import { RE2JS, RE2JSSyntaxException } from "re2js";

/** A user's regular expression in Go's syntax. */
export interface Pattern {
  /** Whether any part of the text matches. */
  matches(text: string): boolean;
  /** An estimate of the maximum steps of a match; a step is about ten nanoseconds. */
  stepCount(text: string): number;
}

/** Compiles a pattern, or returns Go's message for an invalid one. */
export function compilePattern(source: string): Pattern | string {
  try {
    const compiled = RE2JS.compile(source);
    const size = compiled.programSize();
    return { matches: (text) => compiled.test(text), stepCount: (text) => size * (text.length + 1) };
  } catch (reason) {
    if (reason instanceof RE2JSSyntaxException) return describeSyntaxError(reason, source);
    throw reason;
  }
}

/** Go's message always ends with the invalid part, which may be empty or the whole pattern. */
function describeSyntaxError(error: RE2JSSyntaxException, source: string): string {
  if (error.message.endsWith("`")) return error.message;
  const part = error.message.endsWith("nests too deeply") ? source : "";
  return `${error.message}: \`${part}\``;
}
