// SPDX-License-Identifier: Apache-2.0
import type { Defined } from "./linked-list.ts";

interface Item<T> {
  readonly value: T;
  readonly dueMs: number;
  readonly order: number;
  /** Position in the heap; -1 once removed. */
  index: number;
}

/**
 * Values ordered by due time, then by insertion. Insert, take and remove cost O(log n). It has no timer; its owner
 * polls it.
 */
export class DueHeap<T extends Defined> {
  readonly #items: Item<T>[] = [];
  #order = 0;

  get length(): number {
    return this.#items.length;
  }

  /** Due time of the first value. */
  get firstDueMs(): number | undefined {
    return this.#items[0]?.dueMs;
  }

  /** Adds a value. The returned function removes it; it does nothing after the value was taken. */
  push(dueMs: number, value: T): () => void {
    const item: Item<T> = { value, dueMs, order: this.#order, index: this.#items.length };
    this.#order += 1;
    this.#items.push(item);
    this.#rise(item);
    return () => this.#remove(item);
  }

  /** Removes and returns the first value if it is due by `nowMs`. */
  takeDue(nowMs: number): T | undefined {
    const item = this.#items[0];
    if (item === undefined || item.dueMs > nowMs) return undefined;
    this.#remove(item);
    return item.value;
  }

  #remove(item: Item<T>): void {
    if (item.index < 0) return;
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      this.#place(last, item.index);
      this.#rise(last);
      this.#sink(last);
    }
    item.index = -1;
  }

  #rise(item: Item<T>): void {
    while (item.index > 0) {
      const parent = this.#items[(item.index - 1) >> 1];
      if (parent === undefined || isBefore(parent, item)) return;
      this.#swap(item, parent);
    }
  }

  #sink(item: Item<T>): void {
    for (;;) {
      const left = this.#items[2 * item.index + 1];
      const right = this.#items[2 * item.index + 2];
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || isBefore(item, child)) return;
      this.#swap(item, child);
    }
  }

  #swap(one: Item<T>, other: Item<T>): void {
    const index = one.index;
    this.#place(one, other.index);
    this.#place(other, index);
  }

  #place(item: Item<T>, index: number): void {
    item.index = index;
    this.#items[index] = item;
  }
}

function isBefore<T>(one: Item<T>, other: Item<T>): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}
