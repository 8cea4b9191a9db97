// SPDX-License-Identifier: Apache-2.0
import type { TextTest } from "../language/query-predicate.ts";
import { createPatternTest, hasWildcard, literalOf } from "../language/text-pattern.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";

const encoder = new TextEncoder();

/** The texts of a dictionary that pass a test: one id, or a 1 at the place of each id. */
export type MatchedTexts =
  | { readonly kind: "none" }
  | { readonly kind: "one"; readonly id: number }
  | { readonly kind: "some"; readonly isMatched: Uint8Array };

/** A test of one text, by its meaning. The oracle of the scan, and its last word on a candidate. */
export function createTextTest(test: TextTest): (text: string) => boolean {
  switch (test.kind) {
    case "equals":
      return (text) => text === test.text;
    case "matches":
      return createPatternTest(test.pattern);
    case "contains": {
      const matches = createPatternTest(`*${test.pattern}*`);
      return (text) => matches(text.toLowerCase());
    }
  }
}

/**
 * Finds the texts that pass. The bytes of all texts are searched for the longest literal part of the pattern; only texts
 * that have it are decoded. A pattern without such a part is tested against every text.
 */
export function matchTexts(dictionary: TextDictionary, test: TextTest): MatchedTexts {
  if (test.kind === "equals") {
    const id = dictionary.find(test.text);
    return id === undefined ? { kind: "none" } : { kind: "one", id };
  }
  const passes = createTextTest(test);
  const isMatched = new Uint8Array(dictionary.count);
  const check = (id: number): void => {
    isMatched[id] = passes(dictionary.get(id)) ? 1 : 0;
  };
  const literal = longestLiteral(test.pattern);
  if (literal.length === 0) {
    for (let id = 0; id < dictionary.count; id += 1) check(id);
  } else {
    forEachHolder(dictionary, encoder.encode(literal), check);
    if (test.kind === "contains") for (const id of dictionary.mixedIds) check(id);
  }
  return { kind: "some", isMatched };
}

/** The longest run of literal characters of a pattern. */
function longestLiteral(pattern: string): string {
  let longest = "";
  for (const part of pattern.match(/(?:\\.|[^\\*?])+/gsu) ?? []) {
    const literal = literalOf(part);
    if (!hasWildcard(part) && literal.length > longest.length) longest = literal;
  }
  return longest;
}

/** Calls back with each text that has these bytes. */
function forEachHolder(dictionary: TextDictionary, wanted: Uint8Array, found: (id: number) => void): void {
  const { bytes } = dictionary;
  const find = createByteSearch(wanted);
  for (let at = find(bytes, 0); at !== -1; ) {
    const id = dictionary.idAt(at);
    const end = dictionary.endOf(id);
    const isWithin = at + wanted.length <= end;
    if (isWithin) found(id);
    at = find(bytes, isWithin ? end : at + 1);
  }
}

/** The place of the first occurrence from a place on, or -1: Horspool's search, which skips most bytes. */
function createByteSearch(wanted: Uint8Array): (bytes: Uint8Array, from: number) => number {
  const last = wanted.length - 1;
  const skips = new Uint32Array(256).fill(wanted.length);
  for (let at = 0; at < last; at += 1) skips[wanted[at] ?? 0] = last - at;
  return (bytes, from) => {
    for (let at = from; at + last < bytes.length; at += skips[bytes[at + last] ?? 0] ?? 1) {
      let same = last;
      while (same >= 0 && bytes[at + same] === wanted[same]) same -= 1;
      if (same < 0) return at;
    }
    return -1;
  };
}
