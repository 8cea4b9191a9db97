// SPDX-License-Identifier: Apache-2.0
import type { TextTest } from "../language/query-predicate.ts";
import { createPatternTest, hasWildcard, literalOf } from "../language/text-pattern.ts";
import type { SearchedTexts } from "../table/searched-texts.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { signatureOf, type TextSignature } from "../table/text-signature.ts";
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
 * Finds the texts that pass. Texts that do not have the longest literal part of the pattern are not decoded. Those to
 * search are ruled out by their signatures; in a whole dictionary, the bytes of all texts are searched for that part.
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
  const matching = new Matching(dictionary, plan, isMatched);
  if (plan.isAnything) isMatched.fill(1);
  else if (searched === undefined) matching.matchAll(test.kind === "contains");
  else matching.matchSearched(searched);
  return { kind: "some", isMatched };
}

/** A test of texts by id, for few texts of a dictionary. Valid until the next `intern`. */
export function createIdTest(dictionary: TextDictionary, test: TextTest): (id: number) => boolean {
  if (test.kind === "equals") {
    const wanted = dictionary.find(test.text);
    return (id) => id === wanted;
  }
  const plan = planOf(test);
  const { bytes } = dictionary;
  return (id) => {
    if (plan.isAnything) return true;
    const [from, end] = [dictionary.startOf(id), dictionary.endOf(id)];
    if (plan.affixes !== undefined) return hasAffixes(bytes, from, end, plan.affixes);
    if (!plan.isLiteral || plan.search === undefined) return plan.passes(dictionary.get(id));
    const isFound = dictionary.isMixed(id)
      ? plan.search.isInAnyCase(bytes, from, end)
      : plan.search.isIn(bytes, from, end);
    return isFound ?? plan.passes(dictionary.get(id));
  };
}

/** What a test needs at every dictionary. */
interface SearchPlan {
  readonly passes: (text: string) => boolean;
  /** Every text passes. */
  readonly isAnything: boolean;
  /** Finds the longest literal part; undefined if there is none. */
  readonly search: ByteSearch | undefined;
  /** Of the longest literal part. */
  readonly signature: TextSignature;
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

function hasAffixes(bytes: Uint8Array, from: number, end: number, { prefix, suffix }: Affixes): boolean {
  if (end - from < prefix.length + suffix.length) return false;
  let same = 0;
  while (same < prefix.length && bytes[from + same] === prefix[same]) same += 1;
  if (same < prefix.length) return false;
  same = 1;
  while (same <= suffix.length && bytes[end - same] === suffix[suffix.length - same]) same += 1;
  return same > suffix.length;
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
    // A part that is not ASCII has all bits, as the texts that can contain it have.
    signature: signatureOf(bytes, 0, bytes.length),
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
  readonly #bytes: Uint8Array;

  constructor(dictionary: TextDictionary, plan: SearchPlan, isMatched: Uint8Array) {
    this.#dictionary = dictionary;
    this.#plan = plan;
    this.#isMatched = isMatched;
    this.#bytes = dictionary.bytes;
  }

  /** Looks at the texts that free text is searched in, and at the empty one. */
  matchSearched(searched: SearchedTexts): void {
    const { affixes, signature } = this.#plan;
    this.#check(0);
    searched.forEachCandidate(signature, affixes === undefined ? this.#matchCandidate : this.#matchAffixes);
  }

  /** Looks at all texts. With `isAnyCase`, texts that have capital letters pass too. */
  matchAll(isAnyCase: boolean): void {
    const { count } = this.#dictionary;
    const { search, affixes } = this.#plan;
    if (affixes !== undefined) for (let id = 0; id < count; id += 1) this.#matchAffixes(id);
    else if (search === undefined) for (let id = 0; id < count; id += 1) this.#check(id);
    else {
      this.#search(search);
      // A search in small letters misses texts that have others.
      if (isAnyCase) this.#dictionary.forEachMixed((id) => this.#matchCandidate(id, true));
    }
  }

  #search(search: ByteSearch): void {
    const dictionary = this.#dictionary;
    const find = search.open(this.#bytes, 0, this.#bytes.length);
    let id = 1;
    for (let at = find(0); at !== -1; ) {
      id = dictionary.idAt(at, id);
      const textEnd = dictionary.endOf(id);
      const isWithin = at + search.length <= textEnd;
      if (isWithin && this.#plan.isLiteral) this.#isMatched[id] = 1;
      else if (isWithin) this.#check(id);
      at = find(isWithin ? textEnd : at + 1);
    }
  }

  readonly #matchCandidate = (id: number, isMixed: boolean): void => {
    const { search, isLiteral } = this.#plan;
    if (!isLiteral || search === undefined) {
      this.#check(id);
      return;
    }
    const [from, end] = [this.#dictionary.startOf(id), this.#dictionary.endOf(id)];
    const isFound = isMixed ? search.isInAnyCase(this.#bytes, from, end) : search.isIn(this.#bytes, from, end);
    if (isFound === undefined) this.#check(id);
    else if (isFound) this.#isMatched[id] = 1;
  };

  readonly #matchAffixes = (id: number): void => {
    const dictionary = this.#dictionary;
    const { affixes } = this.#plan;
    if (affixes !== undefined && hasAffixes(this.#bytes, dictionary.startOf(id), dictionary.endOf(id), affixes))
      this.#isMatched[id] = 1;
  };

  #check(id: number): void {
    this.#isMatched[id] = this.#plan.passes(this.#dictionary.get(id)) ? 1 : 0;
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
