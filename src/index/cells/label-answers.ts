// SPDX-License-Identifier: Apache-2.0
import { matchLabels } from "../scan/field-filter.ts";
import { flagsOf, isSameId } from "../scan/id-match.ts";
import { ScanScratch } from "../scan/keep-rows.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { PostedSets } from "../table/label-postings.ts";
import type { LabelTest } from "./cell-filter.ts";

/** Some label sets of a cluster. */
export interface AnsweredSets {
  /** The first `count` are numbers of label sets, each once. */
  readonly sets: Uint32Array;
  readonly count: number;
  /** By place in `sets`: the tests that hold, as bits. */
  readonly answers: Uint8Array;
}

/** One test in one cluster: a set passes if its element is the wanted one. */
interface OpenTest {
  readonly elements: Uint8Array | Uint16Array | Uint32Array;
  readonly wanted: number;
  /** The sets that can pass. */
  readonly posted: PostedSets;
}

const noElements = new Uint8Array(0);
const noTest: OpenTest = {
  elements: noElements,
  wanted: 1,
  posted: { sets: new Uint32Array(0), from: 0, end: 0 },
};
const encoder = new TextEncoder();

/** Answers tests of labels for the label sets of one cluster after another. */
export class LabelAnswers {
  readonly #tests: readonly LabelTest[];
  readonly #words: readonly { readonly key: Uint8Array; readonly value: Uint8Array | undefined }[];
  readonly #scratch = new ScanScratch();
  #setCount = 0;
  #open: readonly OpenTest[] = [];
  #sets = new Uint32Array(1_024);
  #answers = new Uint8Array(1_024);

  /** At most eight tests. */
  constructor(tests: readonly LabelTest[]) {
    this.#tests = tests;
    this.#words = tests.map(({ key, test }) => ({
      key: encoder.encode(key),
      value: test.kind === "equals" ? encoder.encode(test.text) : undefined,
    }));
  }

  /** Takes another cluster. All answers are borrowed until its next fold. */
  open(texts: ClusterTexts): void {
    this.#scratch.reset();
    this.#setCount = texts.maps.count;
    if (this.#sets.length < this.#setCount) {
      this.#sets = new Uint32Array(Math.ceil(this.#setCount * 1.5));
      this.#answers = new Uint8Array(this.#sets.length);
    }
    this.#open = this.#tests.map((test, at) => this.#openTest(texts, test, at));
  }

  /** An upper bound of the number of sets that `list` lists. */
  mostSets(necessary: number): number {
    const counts = this.#listed(necessary).map(mostSets);
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** The sets that pass all necessary tests, given as bits; for 0 those that pass any. There may be others among them. */
  list(necessary: number): AnsweredSets {
    const [sets, answers] = [this.#sets, this.#answers];
    const listed = this.#listed(necessary);
    const only = listed.length === 1 ? listed[0] : undefined;
    const count = only === undefined ? this.#listAny(listed) : this.#listOne(only);
    // All of them pass the only one.
    answers.fill(only === undefined ? 0 : 1 << this.#open.indexOf(only), 0, count);
    for (const [bit, test] of this.#open.entries()) if (test !== only) addAnswers(test, { sets, count, answers }, bit);
    return { sets, count, answers };
  }

  /** As `list`, by number of the set: the tests that hold, as bits; 0 for sets that are not listed. */
  bySet(necessary: number): Uint8Array {
    const { sets, count, answers } = this.list(necessary);
    const bySet = this.#scratch.takeFlags(this.#setCount);
    for (let at = 0; at < count; at += 1) bySet[sets[at] ?? 0] = answers[at] ?? 0;
    return bySet;
  }

  #openTest(texts: ClusterTexts, test: LabelTest, at: number): OpenTest {
    const { key, value } = this.#words[at] ?? { key: noElements, value: undefined };
    const keyId = texts.texts.findBytes(key, 0, key.length);
    if (keyId === -1) return noTest;
    if (value === undefined) {
      const match = matchLabels(texts, test, this.#scratch);
      if (match.kind === "none") return noTest;
      const elements = flagsOf(match, this.#setCount, this.#scratch);
      return { elements, wanted: 1, posted: { sets: noTest.posted.sets, from: 1, end: this.#setCount } };
    }
    const valueId = texts.texts.findBytes(value, 0, value.length);
    if (valueId === -1) return noTest;
    return {
      elements: texts.labels.valuesOf(keyId),
      wanted: valueId + 1,
      posted: texts.labels.setsOf(keyId, valueId),
    };
  }

  /** The necessary test that the fewest sets pass; without necessary ones, all. */
  #listed(necessary: number): readonly OpenTest[] {
    if (necessary === 0) return this.#open;
    const each = this.#open.filter((_, bit) => ((necessary >> bit) & 1) === 1);
    return [each.reduce((fewest, test) => (mostSets(test) < mostSets(fewest) ? test : fewest), each[0] ?? noTest)];
  }

  /** Lists the sets that pass, and returns their number. */
  #listOne({ elements, wanted, posted }: OpenTest): number {
    const sets = this.#sets;
    sets.set(posted.sets);
    let count = posted.sets.length;
    for (let set = posted.from; set < posted.end; set += 1) {
      if (elements[set] !== wanted) continue;
      sets[count] = set;
      count += 1;
    }
    return count;
  }

  /** Lists each set that passes one of the tests once, and returns their number. */
  #listAny(tests: readonly OpenTest[]): number {
    const sets = this.#sets;
    const isListed = this.#scratch.takeFlags(this.#setCount);
    let count = 0;
    for (const { elements, wanted, posted } of tests) {
      const { length } = posted.sets;
      for (let at = 0; at < length + posted.end - posted.from; at += 1) {
        const set = at < length ? (posted.sets[at] ?? 0) : at - length + posted.from;
        if (isListed[set] === 1 || elements[set] !== wanted) continue;
        isListed[set] = 1;
        sets[count] = set;
        count += 1;
      }
    }
    return count;
  }
}

/** Adds the bit of a test to the answers of the sets that pass it. */
function addAnswers({ elements, wanted }: OpenTest, { sets, count, answers }: AnsweredSets, bit: number): void {
  for (let at = 0; at < count; at += 1)
    answers[at] = (answers[at] ?? 0) | (isSameId(elements[sets[at] ?? 0] ?? 0, wanted) << bit);
}

function mostSets({ posted: { sets, from, end } }: OpenTest): number {
  return sets.length + end - from;
}
