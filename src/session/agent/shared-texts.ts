// SPDX-License-Identifier: Apache-2.0

/** Bytes of an entry besides its text: the head of a string, its place in the map, its count. */
const entryBytes = 80;

/** Shorter texts stay in their rows: there they take less than an entry here. Addresses are shorter, and are no two rows' alike. */
const minSharedLength = 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Texts that rows have alike, such as the containers of all Pods of a ReplicaSet and the name of a node: each is held once, for as
 * long as a row names it. So what is held here is never more than the rows would hold themselves, but for the entries.
 */
export class SharedTexts {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #useCounts: number[] = [];
  readonly #free: number[] = [];
  #textLength = 0;

  /** About what all texts and their entries take. */
  get heldBytes(): number {
    return this.#textLength + this.#numbers.size * entryBytes;
  }

  /** The number of a text, from 1, which is used once more now; 0 for one that its row is to hold itself. */
  use(text: string): number {
    if (text.length < minSharedLength || !text.isWellFormed()) return 0;
    const known = this.#numbers.get(text);
    const number = known ?? this.#add(text);
    this.#useCounts[number - 1] = (this.#useCounts[number - 1] ?? 0) + 1;
    return number;
  }

  /** The text of a number that is in use. */
  text(number: number): string {
    return this.#texts[number - 1] ?? "";
  }

  /** One use less; after the last one the text is gone and its number is given to another. Answers the text. */
  release(number: number): string {
    const at = number - 1;
    const text = this.text(number);
    const useCount = (this.#useCounts[at] ?? 0) - 1;
    this.#useCounts[at] = useCount;
    if (useCount > 0) return text;
    this.#numbers.delete(text);
    this.#texts[at] = "";
    this.#free.push(number);
    this.#textLength -= text.length;
    return text;
  }

  #add(text: string): number {
    // A copy: a part of a longer text would keep the longer one.
    const own = decoder.decode(encoder.encode(text));
    const number = this.#free.pop() ?? this.#texts.length + 1;
    this.#texts[number - 1] = own;
    this.#numbers.set(own, number);
    this.#textLength += own.length;
    return number;
  }
}
