// SPDX-License-Identifier: Apache-2.0
import { matchLabels } from "../scan/field-filter.ts";
import { flagsOf } from "../scan/id-match.ts";
import { ScanScratch } from "../scan/keep-rows.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { LabelTest } from "./cell-filter.ts";

/** The label sets of a cluster for which some test holds. */
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
  /** The key and value that are wanted; undefined for a test of another kind. */
  readonly pair?: { readonly keyId: number; readonly valueId: number };
}

const noElements = new Uint8Array(0);
const encoder = new TextEncoder();

/** Answers tests of labels for the label sets of one cluster after another. */
export class LabelAnswers {
  readonly #tests: readonly LabelTest[];
  readonly #words: readonly { readonly key: Uint8Array; readonly value: Uint8Array | undefined }[];
  readonly #scratch = new ScanScratch();
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

  /** `necessary`: the tests, as bits, that listed sets all pass; 0 for any. Borrowed until the next call. */
  open(texts: ClusterTexts, necessary: number): AnsweredSets {
    this.#scratch.reset();
    const setCount = texts.maps.count;
    if (this.#sets.length < setCount) {
      this.#sets = new Uint32Array(Math.ceil(setCount * 1.5));
      this.#answers = new Uint8Array(this.#sets.length);
    }
    const tests = this.#tests.map((test, at) => this.#openTest(texts, test, at));
    const count = this.#list(texts, tests, necessary);
    const [sets, answers] = [this.#sets, this.#answers];
    answers.fill(0, 0, count);
    for (const [bit, { elements, wanted }] of tests.entries())
      for (let at = 0; at < count; at += 1)
        if (elements[sets[at] ?? 0] === wanted) answers[at] = (answers[at] ?? 0) | (1 << bit);
    return { sets, count, answers };
  }

  #openTest(texts: ClusterTexts, test: LabelTest, at: number): OpenTest {
    const none: OpenTest = { elements: noElements, wanted: 1 };
    const { key, value } = this.#words[at] ?? { key: noElements, value: undefined };
    const keyId = texts.texts.findBytes(key, 0, key.length);
    if (keyId === -1) return none;
    if (value === undefined) {
      const match = matchLabels(texts, test, this.#scratch);
      if (match.kind === "none") return none;
      return { elements: flagsOf(match, texts.maps.count, this.#scratch), wanted: 1 };
    }
    const valueId = texts.texts.findBytes(value, 0, value.length);
    if (valueId === -1) return none;
    return { elements: texts.labels.valuesOf(keyId), wanted: valueId + 1, pair: { keyId, valueId } };
  }

  /** Lists the sets that pass the necessary test with the fewest of them, or any test. Returns their number. */
  #list(texts: ClusterTexts, tests: readonly OpenTest[], necessary: number): number {
    const setCount = texts.maps.count;
    const each = tests.filter((_, bit) => ((necessary >> bit) & 1) === 1);
    if (each.length > 0) {
      const counts = each.map((test) => mostSets(texts, test, setCount));
      const fewest = each[counts.indexOf(Math.min(...counts))];
      return fewest === undefined ? 0 : listSets(texts, fewest, setCount, this.#sets);
    }
    if (tests.length === 1 && tests[0] !== undefined) return listSets(texts, tests[0], setCount, this.#sets);
    const isListed = this.#scratch.takeFlags(setCount);
    for (const test of tests) {
      const count = listSets(texts, test, setCount, this.#sets);
      for (let at = 0; at < count; at += 1) isListed[this.#sets[at] ?? 0] = 1;
    }
    return listSets(texts, { elements: isListed, wanted: 1 }, setCount, this.#sets);
  }
}

/** An upper bound of the number of sets that pass. */
function mostSets({ labels }: ClusterTexts, { elements, pair }: OpenTest, setCount: number): number {
  if (pair !== undefined) return labels.mostSetsOf(pair.keyId, pair.valueId);
  return elements.length === 0 ? 0 : setCount;
}

/** Writes the sets that pass to `target`, ascending, and returns how many they are. */
function listSets(
  { labels }: ClusterTexts,
  { elements, wanted, pair }: OpenTest,
  setCount: number,
  target: Uint32Array,
): number {
  if (pair !== undefined) return labels.setsOf(pair.keyId, pair.valueId, target);
  let count = 0;
  for (let set = 1; set < Math.min(setCount, elements.length); set += 1) {
    if (elements[set] !== wanted) continue;
    target[count] = set;
    count += 1;
  }
  return count;
}
