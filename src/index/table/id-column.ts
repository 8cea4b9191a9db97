// SPDX-License-Identifier: Apache-2.0
import { TableColumn } from "./table-column.ts";

/** The narrowest array that holds the ids of a column. */
export type IdValues = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

function widest(values: IdValues): number {
  const { BYTES_PER_ELEMENT: bytes } = values;
  if (bytes === 1) return 0xff;
  return bytes === 2 ? 0xffff : 0xffff_ffff;
}

/** Room for `length` ids up to `id`. */
export function allocateIds(length: number, id: number): IdValues {
  if (id <= 0xff) return new Uint8Array(length);
  return id <= 0xffff ? new Uint16Array(length) : new Uint32Array(length);
}

/** One id per row, in one, two or four bytes: the array widens when an id needs it. Id 0 means none. */
export class IdColumn extends TableColumn<IdValues> {
  /** The number of rows with an id other than 0. */
  presentCount = 0;
  #replacedCount = 0;

  constructor(capacity: number) {
    super(new Uint8Array(capacity));
  }

  override share(): IdColumn {
    const shared = new IdColumn(0);
    this.shareWith(shared);
    shared.presentCount = this.presentCount;
    return shared;
  }

  override mostBytes(idBytes: number): number {
    return idBytes;
  }

  /** Sets the id of a row that is new. */
  append(row: number, id: number): void {
    this.own();
    this.#widen(id);
    this.values[row] = id;
    if (id !== 0) this.presentCount += 1;
  }

  /** Sets the ids of the first `count` of `rows`. Rows from `firstNew` on are new: their elements are meaningless. */
  write(rows: Uint32Array, ids: Uint32Array, count: number, firstNew: number): void {
    let most = 0;
    for (let at = 0; at < count; at += 1) {
      const id = ids[at] ?? 0;
      if (id > most) most = id;
    }
    if (this.isShared && !this.#differs(rows, ids, count, firstNew)) return;
    this.own();
    this.#widen(most);
    const { values } = this;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0;
      const id = ids[at] ?? 0;
      const old = row < firstNew ? (values[row] ?? 0) : 0;
      values[row] = id;
      if (old === id) continue;
      if (old !== 0) {
        this.#replacedCount += 1;
        this.presentCount -= 1;
      }
      if (id !== 0) this.presentCount += 1;
    }
  }

  override takeReplaced(): number {
    const count = this.#replacedCount;
    this.#replacedCount = 0;
    return count;
  }

  override release(row: number): void {
    if (this.values[row] === 0) return;
    this.presentCount -= 1;
    this.#replacedCount += 1;
  }

  /** Replaces each id by `ids[id]`: other ids for the same things. */
  renumber(ids: Uint32Array): void {
    const { values } = this;
    let most = 0;
    for (let row = 0; row < values.length; row += 1) {
      const id = ids[values[row] ?? 0] ?? 0;
      if (id > most) most = id;
    }
    const renumbered = allocateIds(values.length, most);
    for (let row = 0; row < values.length; row += 1) renumbered[row] = ids[values[row] ?? 0] ?? 0;
    this.replace(renumbered);
  }

  #differs(rows: Uint32Array, ids: Uint32Array, count: number, firstNew: number): boolean {
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0;
      if (row >= firstNew || this.values[row] !== ids[at]) return true;
    }
    return false;
  }

  #widen(id: number): void {
    if (id <= widest(this.values)) return;
    const wider = allocateIds(this.values.length, id);
    wider.set(this.values);
    this.replace(wider);
  }
}
