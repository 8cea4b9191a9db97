// SPDX-License-Identifier: Apache-2.0
import { IdColumn } from "./id-column.ts";

/** A column of ids that few tables need. It takes no memory while no row has an id. */
export class RareIdColumn extends IdColumn {
  constructor() {
    super(0);
  }

  override share(): RareIdColumn {
    const shared = new RareIdColumn();
    this.shareWith(shared);
    shared.presentCount = this.presentCount;
    return shared;
  }

  /** 0 if the row has none. */
  at(row: number): number {
    return this.presentCount === 0 ? 0 : (this.values[row] ?? 0);
  }

  override resize(capacity: number, count: number): void {
    if (this.presentCount > 0) super.resize(capacity, count);
  }

  override *ownInSteps(capacity: number): Generator<number, void, undefined> {
    if (this.presentCount > 0) yield* super.ownInSteps(capacity);
  }

  override move(from: number, to: number): void {
    if (this.presentCount > 0) super.move(from, to);
  }

  override release(row: number): void {
    if (this.presentCount > 0) super.release(row);
  }

  /** As `write`, in a table with room for `capacity` rows. */
  writeRare(
    written: { readonly rows: Uint32Array; readonly count: number; readonly firstNew: number },
    ids: Uint32Array,
    capacity: number,
  ): void {
    const { rows, count, firstNew } = written;
    if (this.presentCount === 0) {
      if (ids.subarray(0, count).every((id) => id === 0)) return;
      this.replace(new Uint8Array(capacity));
    }
    this.write(rows, ids, count, firstNew);
  }

  override renumber(ids: Uint32Array): void {
    if (this.presentCount > 0) super.renumber(ids);
  }
}
