// SPDX-License-Identifier: Apache-2.0
import type { PartialVisibility } from "../../rbac/visibility.ts";
import type { KindTable } from "../table/kind-table.ts";
import { createVisibleFilter } from "./visible-rows.ts";

/** The rows that users of all teams see of all tables: 4 bytes for each. */
const maxBytes = 48 * 1024 * 1024;

/** What remembering the rows of a table costs, however few they are. */
const entryBytes = 128;

interface KeptRows {
  readonly rows: Uint32Array;
  readonly version: number;
}

interface RowsOfTables {
  readonly byTable: WeakMap<KindTable, KeptRows>;
  bytes: number;
}

/**
 * The rows of tables that are visible in part. Visibilities are immutable and shared by a team. When all rows take more
 * than the limit, those of the visibility whose rows were last found longest ago go first.
 */
class KeptVisibleRows {
  /** In the order of the last rows that were found. */
  readonly #kept = new Map<PartialVisibility, RowsOfTables>();
  #bytes = 0;

  get(table: KindTable, visibility: PartialVisibility): Uint32Array {
    const ofTables = this.#kept.get(visibility) ?? { byTable: new WeakMap(), bytes: 0 };
    const known = ofTables.byTable.get(table);
    if (known?.version === table.version) return known.rows;
    const rows = findRows(table, visibility);
    ofTables.byTable.set(table, { rows, version: table.version });
    this.#kept.delete(visibility);
    this.#kept.set(visibility, ofTables);
    // Rows of a table that is gone stay counted until their visibility goes, so the sum is an upper bound.
    const added = rows.byteLength - (known?.rows.byteLength ?? -entryBytes);
    ofTables.bytes += added;
    this.#bytes += added;
    this.#dropOldest();
    return rows;
  }

  #dropOldest(): void {
    for (const [visibility, { bytes }] of this.#kept) {
      if (this.#bytes <= maxBytes) return;
      this.#kept.delete(visibility);
      this.#bytes -= bytes;
    }
  }
}

/** Kept over queries. */
const keptRows = new KeptVisibleRows();

/** The rows of a table that are visible, in ascending order. Borrowed: it must not be written to. */
export function visibleRowsOf(table: KindTable, visibility: PartialVisibility): Uint32Array {
  return keptRows.get(table, visibility);
}

function findRows(table: KindTable, visibility: PartialVisibility): Uint32Array {
  const { count } = table;
  const filter = createVisibleFilter(table, visibility);
  if (filter === "none") return new Uint32Array(0);
  if (filter === "all") return Uint32Array.from({ length: count }, (_, row) => row);
  const rows = new Uint32Array(count);
  return rows.slice(0, filter(rows, count, true));
}
