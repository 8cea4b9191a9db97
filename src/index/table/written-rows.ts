// SPDX-License-Identifier: Apache-2.0
import { absentBoolean, absentId } from "../../model/row-batch/format.ts";
import type { BatchMapping } from "./batch-mapping.ts";

/**
 * The rows of a table that a step writes, and their places in the batch. The methods give the elements of the written
 * rows, in order; an array is borrowed until the next call that returns one of its type.
 */
export class WrittenRows {
  readonly mapping: BatchMapping;
  readonly rows: Uint32Array;
  readonly places: Uint32Array;
  readonly #ids: Uint32Array;
  readonly #numbers: Float64Array;
  count = 0;
  /** Rows from here on are new. */
  firstNew = 0;

  constructor(mapping: BatchMapping, capacity: number) {
    this.mapping = mapping;
    this.rows = new Uint32Array(capacity);
    this.places = new Uint32Array(capacity);
    this.#ids = new Uint32Array(capacity);
    this.#numbers = new Float64Array(capacity);
  }

  start(firstNew: number): void {
    this.count = 0;
    this.firstNew = firstNew;
  }

  add(row: number, place: number): void {
    this.rows[this.count] = row;
    this.places[this.count] = place;
    this.count += 1;
  }

  searchedTexts(ids: Uint32Array): Uint32Array {
    for (let at = 0; at < this.count; at += 1)
      this.#ids[at] = this.mapping.searchedText(ids[this.places[at] ?? 0] ?? 0);
    return this.#ids;
  }

  maps(ids: Uint32Array): Uint32Array {
    for (let at = 0; at < this.count; at += 1) this.#ids[at] = this.mapping.map(ids[this.places[at] ?? 0] ?? 0);
    return this.#ids;
  }

  owners(ids: Uint32Array): Uint32Array {
    for (let at = 0; at < this.count; at += 1) this.#ids[at] = this.mapping.owner(ids[this.places[at] ?? 0] ?? 0);
    return this.#ids;
  }

  /** Ids plus one; 0 for none. */
  optionalTexts(ids: Uint32Array): Uint32Array {
    for (let at = 0; at < this.count; at += 1) {
      const id = ids[this.places[at] ?? 0] ?? absentId;
      this.#ids[at] = id === absentId ? 0 : this.mapping.text(id) + 1;
    }
    return this.#ids;
  }

  /** Numbers of lists plus one; 0 for none. */
  optionalLists(ids: Uint32Array): Uint32Array {
    for (let at = 0; at < this.count; at += 1) {
      const id = ids[this.places[at] ?? 0] ?? absentId;
      this.#ids[at] = id === absentId ? 0 : this.mapping.list(id) + 1;
    }
    return this.#ids;
  }

  /** 1 for false and 2 for true; 0 for none. */
  booleans(values: Uint8Array): Uint32Array {
    for (let at = 0; at < this.count; at += 1) {
      const value = values[this.places[at] ?? 0] ?? absentBoolean;
      this.#ids[at] = value === absentBoolean ? 0 : value + 1;
    }
    return this.#ids;
  }

  /** The elements as they are. */
  bytes(values: Uint8Array): Uint32Array {
    for (let at = 0; at < this.count; at += 1) this.#ids[at] = values[this.places[at] ?? 0] ?? 0;
    return this.#ids;
  }

  noIds(): Uint32Array {
    return this.#ids.fill(0, 0, this.count);
  }

  numbers(values: Float64Array): Float64Array {
    for (let at = 0; at < this.count; at += 1) this.#numbers[at] = values[this.places[at] ?? 0] ?? Number.NaN;
    return this.#numbers;
  }

  noNumbers(): Float64Array {
    return this.#numbers.fill(Number.NaN, 0, this.count);
  }
}
