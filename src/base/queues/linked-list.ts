// SPDX-License-Identifier: Apache-2.0

/** Any value except undefined and null, for containers whose methods return undefined for "no value". */
export type Defined = string | number | bigint | boolean | symbol | object;

interface Link<T> {
  readonly value: T;
  before: Link<T> | undefined;
  after: Link<T> | undefined;
  isIn: boolean;
}

/**
 * A FIFO queue with removal from the middle, all operations in constant time. A Map in insertion order is not enough:
 * finding its first entry skips over the holes of earlier deletes.
 */
export class LinkedList<T extends Defined> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The oldest value. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  /** Appends a value. The returned function removes it; it does nothing after the value was taken. */
  push(value: T): () => void {
    const link: Link<T> = { value, before: this.#last, after: undefined, isIn: true };
    if (this.#last === undefined) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
    this.#length += 1;
    return () => this.#remove(link);
  }

  /** Removes and returns the oldest value. */
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
