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
  /** Signatures of the same texts, one after the other: a search reads them in order. */
  #signatures = new Int32Array(firstLength * signatureWords);
  #count = 0;

  constructor(dictionary: TextDictionary) {
    this.#dictionary = dictionary;
  }

  get count(): number {
    return this.#count;
  }

  get sizeBytes(): number {
    return this.#flags.byteLength + this.#entries.byteLength + this.#signatures.byteLength;
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
    this.#signatures.set(signature, this.#count * signatureWords);
    this.#count += 1;
  }

  /**
   * Calls back with the ids of all texts whose signature has these bits: no other text contains a text that has them.
   * `isMixed` if not all letters of the text are small ones of ASCII.
   */
  forEachCandidate(wanted: TextSignature, visit: (id: number, isMixed: boolean) => void): void {
    const [entries, words] = [this.#entries, this.#signatures];
    const [first = 0, second = 0, third = 0, fourth = 0] = wanted;
    const count = this.#count;
    for (let at = 0, word = 0; at < count; at += 1, word += signatureWords) {
      const missing =
        (first & ~(words[word] ?? 0)) |
        (second & ~(words[word + 1] ?? 0)) |
        (third & ~(words[word + 2] ?? 0)) |
        (fourth & ~(words[word + 3] ?? 0));
      if (missing !== 0) continue;
      const entry = entries[at] ?? 0;
      visit(entry >>> 1, (entry & 1) === 1);
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
        this.#signatures.copyWithin(kept * signatureWords, at * signatureWords, (at + 1) * signatureWords);
        kept += 1;
      } else this.#flags[id >>> 3] = (this.#flags[id >>> 3] ?? 0) & ~(1 << (id & 7));
    }
    this.#count = kept;
  }

  /** Releases memory that was reserved for growth. */
  trim(): void {
    this.#entries = this.#entries.slice(0, this.#count);
    this.#signatures = this.#signatures.slice(0, this.#count * signatureWords);
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
    const signatures = new Int32Array(length * signatureWords);
    signatures.set(this.#signatures);
    this.#signatures = signatures;
  }
}
