// SPDX-License-Identifier: Apache-2.0

/** Any value at all; where `undefined` means that there is none, values themselves must not be. */
export type Defined = string | number | bigint | boolean | symbol | object;

interface Link<T> {
  readonly value: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
  isIn: boolean;
}

/**
 * A first-in first-out line that can also be left from the middle, each step in constant time. A Map in insertion order
 * would not do: taking its first entry steps over the holes that earlier deletes left.
 */
export class LinkedList<T extends Defined> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The value that has waited longest. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  /** Adds at the end. What it returns takes the value out again; calling that after the value left does nothing. */
  push(value: T): () => void {
    const link: Link<T> = { value, before: this.#last, after: undefined, isIn: true };
    if (this.#last === undefined) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    this.#length += 1;
    return () => this.#remove(link);
  }

  /** Takes out the value that has waited longest. */
  shift(): T | undefined {
    const link = this.#first;
    if (link === undefined) return undefined;
    this.#remove(link);
    return link.value;
  }

  #remove(link: Link<T>): void {
    if (!link.isIn) return;
    link.isIn = false;
    if (link.before === undefined) this.#first = link.after;
    else link.before.after = link.after;
    if (link.after === undefined) this.#last = link.before;
    else link.after.before = link.before;
    this.#length -= 1;
  }
}
