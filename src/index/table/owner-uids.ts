// SPDX-License-Identifier: Apache-2.0
import { isUuid, uuidByte } from "../../model/rows/uuid.ts";
import type { GroupDictionary } from "./group-dictionary.ts";
import type { TextDictionary } from "./text-dictionary.ts";

/** The place of the uid in an owner's ids: after group, kind and name. */
const uidPlace = 3;
const uuidWordCount = 4;

interface OwnerTexts {
  readonly owners: GroupDictionary;
  readonly texts: TextDictionary;
}

/** The four words of a UUID as owners hold them. */
export function uuidWords(uuid: string): Uint32Array {
  const words = new Uint32Array(uuidWordCount);
  for (let at = 0; at < uuidWordCount * 4; at += 1)
    words[at >>> 2] = (((words[at >>> 2] ?? 0) << 8) | uuidByte(uuid, at)) >>> 0;
  return words;
}

/** Finds owners by uid. It is built when first asked for, and again after owners came. */
export class OwnerUids {
  readonly #of: OwnerTexts;
  /** The numbers of owners, ascending by the first word of their uid. */
  #order = new Uint32Array(0);
  #count = 1;

  constructor(of: OwnerTexts) {
    this.#of = of;
  }

  get sizeBytes(): number {
    return this.#order.byteLength;
  }

  /** The numbers of owners with this uid. Several, if references to one object differ in group, kind or name. */
  find(uid: string): readonly number[] {
    if (uid === "") return [];
    const wanted = this.#wordsOf(uid);
    if (wanted === undefined) return [];
    this.#build();
    const first = wanted[0] ?? 0;
    const found: number[] = [];
    for (let at = this.#firstAt(first); at < this.#order.length; at += 1) {
      const owner = this.#order[at] ?? 0;
      if (this.#firstWord(owner) !== first) break;
      if (this.#isOf(owner, wanted)) found.push(owner);
    }
    return found;
  }

  /** Call it when owners were removed. */
  truncate(): void {
    this.#order = new Uint32Array(0);
    this.#count = 1;
  }

  #wordsOf(uid: string): Uint32Array | undefined {
    if (isUuid(uid)) return uuidWords(uid);
    const id = this.#of.texts.find(uid);
    return id === undefined ? undefined : Uint32Array.of(id);
  }

  #isOf(owner: number, words: Uint32Array): boolean {
    const { owners } = this.#of;
    const start = owners.startOf(owner) + uidPlace;
    if (owners.endOf(owner) - start !== words.length) return false;
    return words.every((word, at) => owners.ids[start + at] === word);
  }

  #firstWord(owner: number): number {
    const { owners } = this.#of;
    return owners.ids[owners.startOf(owner) + uidPlace] ?? 0;
  }

  #firstAt(word: number): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#firstWord(this.#order[middle] ?? 0) < word) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #build(): void {
    const { count } = this.#of.owners;
    if (this.#count === count) return;
    this.#count = count;
    this.#order = Uint32Array.from({ length: count - 1 }, (_, at) => at + 1).sort(
      (a, b) => this.#firstWord(a) - this.#firstWord(b),
    );
  }
}
