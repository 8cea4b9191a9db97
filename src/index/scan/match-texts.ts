// SPDX-License-Identifier: Apache-2.0
import type { TextTest } from "../language/query-predicate.ts";
import { createPatternTest, hasWildcard, literalOf } from "../language/text-pattern.ts";
import type { SearchedTexts } from "../table/searched-texts.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { ByteSearch } from "./byte-search.ts";
import type { ScanScratch } from "./keep-rows.ts";

const encoder = new TextEncoder();

/** ASCII without capital letters: its case does not depend on other characters. */
const plainText = /^[ -@[-~]+$/;

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

export interface MatchOptions {
  /** No other text is looked at, and none of them passes. Default: all texts. */
  readonly searched?: SearchedTexts;
  /** The source of the flags. Default: a new array. */
  readonly scratch?: ScanScratch;
}

/**
 * Finds the texts that pass. The bytes of all texts are searched for the longest literal part of the pattern; only texts
 * that have it are decoded. A pattern without such a part is tested against every text.
 */
export function matchTexts(
  dictionary: TextDictionary,
  test: TextTest,
  { searched, scratch }: MatchOptions = {},
): MatchedTexts {
  if (test.kind === "equals") {
    const id = dictionary.find(test.text);
    return id === undefined ? { kind: "none" } : { kind: "one", id };
  }
  const isMatched = scratch?.takeFlags(dictionary.count) ?? new Uint8Array(dictionary.count);
  const plan = planOf(test);
  const matching = new Matching(dictionary, plan, isMatched, searched);
  if (plan.isAnything) isMatched.fill(1);
  else if (searched === undefined) matching.searchRun(0, dictionary.count);
  else {
    matching.searchRun(0, 1);
    searched.forEachRun((first, end) => matching.searchRun(first, end));
  }
  if (test.kind === "contains" && !plan.isAnything) matching.checkMixed();
  return { kind: "some", isMatched };
}

/** What a test needs at every dictionary. */
interface SearchPlan {
  readonly passes: (text: string) => boolean;
  /** Every text passes. */
  readonly isAnything: boolean;
  /** Finds the longest literal part; undefined if there is none. */
  readonly search: ByteSearch | undefined;
  /** A text that has the literal part passes. */
  readonly isLiteral: boolean;
  /** The bytes that passing texts begin and end with, if that is all that they have in common: `web-*`. */
  readonly affixes: Affixes | undefined;
}

interface Affixes {
  readonly prefix: Uint8Array;
  readonly suffix: Uint8Array;
}

/** The parts of a pattern with one `*` and no other wildcard. */
function affixesOf({ kind, pattern }: Exclude<TextTest, { kind: "equals" }>): Affixes | undefined {
  const parts = /^((?:\\.|[^\\*?])*)\*((?:\\.|[^\\*?])*)$/su.exec(pattern);
  if (kind !== "matches" || parts === null) return undefined;
  const [prefix = "", suffix = ""] = parts.slice(1).map(literalOf);
  return { prefix: encoder.encode(prefix), suffix: encoder.encode(suffix) };
}

/** A query asks the same test of every cluster. */
const plans = new WeakMap<TextTest, SearchPlan>();

function planOf(test: Exclude<TextTest, { kind: "equals" }>): SearchPlan {
  const known = plans.get(test);
  if (known !== undefined) return known;
  const literal = longestLiteral(test.pattern);
  const bytes = encoder.encode(literal);
  const plan: SearchPlan = {
    passes: createTextTest(test),
    isAnything: /^\**$/.test(test.pattern) && (test.kind === "contains" || test.pattern !== ""),
    search: bytes.length === 0 ? undefined : new ByteSearch(bytes),
    isLiteral: test.kind === "contains" && literal === test.pattern && plainText.test(literal),
    affixes: affixesOf(test),
  };
  plans.set(test, plan);
  return plan;
}

class Matching {
  readonly #dictionary: TextDictionary;
  readonly #plan: SearchPlan;
  readonly #isMatched: Uint8Array;
  readonly #searched: SearchedTexts | undefined;
  readonly #bytes: Uint8Array;

  constructor(
    dictionary: TextDictionary,
    plan: SearchPlan,
    isMatched: Uint8Array,
    searched: SearchedTexts | undefined,
  ) {
    this.#dictionary = dictionary;
    this.#plan = plan;
    this.#isMatched = isMatched;
    this.#searched = searched;
    this.#bytes = dictionary.bytes;
  }

  /** Looks at adjacent texts. */
  searchRun(first: number, end: number): void {
    const { search, isLiteral, affixes } = this.#plan;
    const dictionary = this.#dictionary;
    if (affixes !== undefined) {
      this.#matchAffixes(affixes, first, end);
      return;
    }
    if (search === undefined) {
      for (let id = first; id < end; id += 1) this.#check(id);
      return;
    }
    const [firstAt, endAt] = [dictionary.startOf(first), dictionary.startOf(end)];
    const find = search.open(this.#bytes, firstAt, endAt);
    let id = first;
    for (let at = find(firstAt); at !== -1; ) {
      id = dictionary.idAt(at, id);
      const textEnd = dictionary.endOf(id);
      const isWithin = at + search.length <= textEnd;
      if (isWithin && isLiteral) this.#isMatched[id] = this.#isSearched(id) ? 1 : 0;
      else if (isWithin) this.#check(id);
      at = find(isWithin ? textEnd : at + 1);
    }
  }

  /** Texts whose letters have another case are missed by a search in lower case. */
  checkMixed(): void {
    const { search, isLiteral } = this.#plan;
    if (search === undefined) return;
    const dictionary = this.#dictionary;
    for (const id of dictionary.mixedIds) {
      if (!this.#isSearched(id)) continue;
      const isFound = isLiteral
        ? search.isInAnyCase(this.#bytes, dictionary.startOf(id), dictionary.endOf(id))
        : undefined;
      if (isFound === undefined) this.#check(id);
      else this.#isMatched[id] = isFound ? 1 : 0;
    }
  }

  #matchAffixes({ prefix, suffix }: Affixes, first: number, end: number): void {
    const [bytes, dictionary, isMatched] = [this.#bytes, this.#dictionary, this.#isMatched];
    const least = prefix.length + suffix.length;
    let textEnd = dictionary.startOf(first);
    for (let id = first; id < end; id += 1) {
      const from = textEnd;
      textEnd = dictionary.endOf(id);
      if (textEnd - from < least) continue;
      let same = 0;
      while (same < prefix.length && bytes[from + same] === prefix[same]) same += 1;
      if (same < prefix.length) continue;
      same = 1;
      while (same <= suffix.length && bytes[textEnd - same] === suffix[suffix.length - same]) same += 1;
      if (same > suffix.length && this.#isSearched(id)) isMatched[id] = 1;
    }
  }

  #check(id: number): void {
    if (this.#isSearched(id)) this.#isMatched[id] = this.#plan.passes(this.#dictionary.get(id)) ? 1 : 0;
  }

  #isSearched(id: number): boolean {
    return id === 0 || this.#searched === undefined || this.#searched.has(id);
  }
}

/** The longest run of literal characters of a pattern. */
export function longestLiteral(pattern: string): string {
  let longest = "";
  for (const part of pattern.match(/(?:\\.|[^\\*?])+/gsu) ?? []) {
    const literal = literalOf(part);
    if (!hasWildcard(part) && literal.length > longest.length) longest = literal;
  }
  return longest;
}
