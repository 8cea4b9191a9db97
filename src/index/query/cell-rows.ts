// SPDX-License-Identifier: Apache-2.0
import type { KindTable } from "../table/kind-table.ts";
import { type CellMask, everyStatus } from "./cell-mask.ts";
import type { RowSelection } from "./row-selection.ts";

/** The rows of tables that pass a mask, for what cannot be counted by cells. */
export class CellRows {
  #rows = new Uint32Array(0);

  /** Borrowed until the next call. */
  select({ count, namespaces, statuses }: KindTable, mask: CellMask): RowSelection {
    if (mask === everyStatus) return { rows: this.#rows, count, isAll: true };
    if (this.#rows.length < count) this.#rows = new Uint32Array(Math.ceil(count * 1.5));
    const rows = this.#rows;
    const [numbers, ranks] = [namespaces.values, statuses.values];
    let kept = 0;
    for (let row = 0; row < count; row += 1) {
      const bits = typeof mask === "number" ? mask : (mask[numbers[row] ?? 0] ?? 0);
      if (((bits >> (ranks[row] ?? 0)) & 1) === 0) continue;
      rows[kept] = row;
      kept += 1;
    }
    return { rows, count: kept, isAll: false };
  }
}
