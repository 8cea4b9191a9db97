// SPDX-License-Identifier: Apache-2.0
import { growingBytes, growingIds } from "../growing-array.ts";
import type { StringArena } from "../row-columns.ts";
import type { StringTable } from "../string-table.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** An arena that appends every table unchanged, which is the fastest. Equal texts of two batches have two ids. */
export class ConcatenatingArena implements StringArena {
  readonly #bytes = growingBytes();
  readonly #ends = growingIds();
  #idOf = new Uint32Array(0);

  constructor() {
    this.#ends.append([0]);
  }

  add(table: StringTable): Uint32Array {
    const known = this.#ends.length - 1;
    const shift = this.#bytes.length;
    this.#bytes.append(table.bytes);
    const from = this.#ends.extend(table.count - 1);
    const ends = this.#ends.elements;
    if (this.#idOf.length < table.count) this.#idOf = new Uint32Array(table.count);
    const idOf = this.#idOf;
    for (let id = 1; id < table.count; id += 1) {
      ends[from + id - 1] = shift + (table.offsets[id + 1] ?? 0);
      idOf[id] = known + id;
    }
    return idOf;
  }

  /** The text of an id. */
  get(id: number): string {
    if (id === 0) return "";
    const ends = this.#ends.elements;
    return decoder.decode(this.#bytes.elements.subarray(ends[id - 1], ends[id]));
  }
}
