// SPDX-License-Identifier: Apache-2.0
// What a hub holds of one cluster, kept the plain way by the rules of session.md: the measure of what the agent's end
// sends.
import { sessionBucketCount } from "../../../model/rows/bucket.ts";
import type { Row, RowDelete } from "../../../model/rows/row.ts";
import { bucketOf } from "../../../model/rows/testing/key-digests.ts";
import type { RowTable } from "../row-table.ts";

/** One part of a flush as the hub reads it. */
export interface ReadPart {
  readonly resource: string;
  readonly replacedBucket: number | undefined;
  readonly rows: Iterable<Row>;
  readonly deletes: Iterable<RowDelete>;
}

/**
 * Rows by resource and key. `strict`: a delete that does not name the uid held, or a name that goes to another object
 * without one, is a fault of the agent (CO8, SE17). `lenient`: such a delete is ignored, and such a row taken.
 */
export class ModelRows {
  readonly #uids: "strict" | "lenient";
  readonly kinds = new Map<string, Map<string, Row>>();

  constructor(uids: "strict" | "lenient" = "strict") {
    this.#uids = uids;
  }

  copy(): ModelRows {
    const copy = new ModelRows(this.#uids);
    for (const [resource, rows] of this.kinds) copy.kinds.set(resource, new Map(rows));
    return copy;
  }

  kind(resource: string): Map<string, Row> {
    const rows = this.kinds.get(resource) ?? new Map<string, Row>();
    this.kinds.set(resource, rows);
    return rows;
  }

  apply(part: ReadPart): void {
    const rows = this.kind(part.resource);
    if (part.replacedBucket !== undefined)
      for (const [key, row] of rows) if (bucketOf(row, sessionBucketCount) === part.replacedBucket) rows.delete(key);
    for (const gone of part.deletes) {
      const key = `${gone.namespace}/${gone.name}`;
      const held = rows.get(key);
      const isOther = held !== undefined && held.uid !== gone.uid;
      if (isOther && this.#uids === "strict") throw new Error(`delete of ${key} ${gone.uid}, but ${held.uid} is held`);
      if (!isOther) rows.delete(key);
    }
    for (const row of part.rows) {
      const key = `${row.namespace}/${row.name}`;
      const held = rows.get(key);
      if (held !== undefined && held.uid !== row.uid && this.#uids === "strict")
        throw new Error(`${key} went to another object without a delete in the same flush`);
      rows.set(key, row);
    }
  }

  /** Hash and uid of every row, by kind and key. */
  hashes(): Map<string, string> {
    const hashes = new Map<string, string>();
    for (const [resource, rows] of this.kinds)
      for (const [key, row] of rows) hashes.set(`${resource} ${key}`, `${row.rowHash} ${row.uid}`);
    return hashes;
  }
}

/** The same of a table's newest rows. */
export function tableHashes(table: RowTable): Map<string, string> {
  const model = new ModelRows();
  for (const kind of table.kinds)
    for (const slot of table.slotsOf(kind)) {
      const row = table.row(slot);
      if (row !== undefined) model.kind(kind.resource).set(`${row.namespace}/${row.name}`, row);
    }
  return model.hashes();
}
