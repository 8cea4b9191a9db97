// SPDX-License-Identifier: Apache-2.0
import { boundLength, grownLength } from "./growing-store.ts";
import type { TextDictionary } from "./text-dictionary.ts";
import { signatureWords, type TextSignature } from "./text-signature.ts";

const firstLength = 8;

/** The texts of a dictionary that free text is searched in: names, reasons and messages. */
export class SearchedTexts {
  readonly #dictionary: TextDictionary;
  /** One bit per text id. */
  #flags = new Uint8Array(firstLength);
  /** Twice the id, plus one for a text in other than small letters of ASCII. In the order in which texts were added. */
  #entries = new Uint32Array(firstLength);
  /** Signatures of the same texts: an array for each word, so that a search reads only words that have wanted bits. */
  #words: readonly Int32Array[] = Array.from({ length: signatureWords }, () => new Int32Array(firstLength));
  #count = 0;

  constructor(dictionary: TextDictionary) {
    this.#dictionary = dictionary;
  }

  get count(): number {
    return this.#count;
  }

  get sizeBytes(): number {
    return this.#flags.byteLength + this.#entries.byteLength * (1 + signatureWords);
  }

  /** An upper bound of the size with `textCount` more texts in the dictionary, all of them searched. */
  boundBytes(textCount: number): number {
    const flags = boundLength(this.#flags.length, ((this.#dictionary.count + textCount) >>> 3) + 1);
    return flags + boundLength(this.#entries.length, this.#count + textCount) * 4 * (1 + signatureWords);
  }

  has(id: number): boolean {
    return ((this.#flags[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  add(id: number): void {
    if (id === 0 || this.has(id)) return;
    this.#reserve(id);
    this.#flags[id >>> 3] = (this.#flags[id >>> 3] ?? 0) | (1 << (id & 7));
    const signature = this.#dictionary.signature(id);
    this.#entries[this.#count] = id * 2 + (this.#dictionary.isMixed(id) ? 1 : 0);
    for (const [at, words] of this.#words.entries()) words[this.#count] = signature[at] ?? 0;
    this.#count += 1;
  }

  /**
   * Calls back with the ids of all texts whose signature has these bits: no other text contains a text that has them.
   * `isMixed` if not all letters of the text are small ones of ASCII.
   */
  forEachCandidate(wanted: TextSignature, visit: (id: number, isMixed: boolean) => void): void {
    const entries = this.#entries;
    const tests = this.#words.map((words, at) => ({ words, bits: wanted[at] ?? 0 }));
    // Words with more wanted bits rule out more texts.
    const [first, ...others] = tests.sort((a, b) => bitCountOf(b.bits) - bitCountOf(a.bits));
    const rest = others.filter(({ bits }) => bits !== 0);
    if (first === undefined) return;
    const { bits, words } = first;
    for (let at = 0; at < this.#count; at += 1) {
      if ((bits & ~(words[at] ?? 0)) !== 0) continue;
      let missing = 0;
      for (const other of rest) missing |= other.bits & ~(other.words[at] ?? 0);
      const entry = entries[at] ?? 0;
      if (missing === 0) visit(entry >>> 1, (entry & 1) === 1);
    }
  }

  /** Removes the ids from `count` on. */
  truncate(count: number): void {
    const entries = this.#entries;
    let kept = 0;
    for (let at = 0; at < this.#count; at += 1) {
      const entry = entries[at] ?? 0;
      const id = entry >>> 1;
      if (id < count) {
        entries[kept] = entry;
        for (const words of this.#words) words[kept] = words[at] ?? 0;
        kept += 1;
      } else this.#flags[id >>> 3] = (this.#flags[id >>> 3] ?? 0) & ~(1 << (id & 7));
    }
    this.#count = kept;
  }

  /** Releases memory that was reserved for growth. */
  trim(): void {
    this.#entries = this.#entries.slice(0, this.#count);
    this.#words = this.#words.map((words) => words.slice(0, this.#count));
  }

  #reserve(id: number): void {
    if (id >>> 3 >= this.#flags.length) {
      const larger = new Uint8Array(grownLength(this.#flags.length, (id >>> 3) + 1));
      larger.set(this.#flags);
      this.#flags = larger;
    }
    if (this.#count < this.#entries.length) return;
    const length = grownLength(this.#entries.length, this.#count + 1);
    const entries = new Uint32Array(length);
    entries.set(this.#entries);
    this.#entries = entries;
    this.#words = this.#words.map((words) => {
      const larger = new Int32Array(length);
      larger.set(words);
      return larger;
    });
  }
}

function bitCountOf(word: number): number {
  let count = 0;
  for (let bits = word; bits !== 0; bits &= bits - 1) count += 1;
  return count;
}
