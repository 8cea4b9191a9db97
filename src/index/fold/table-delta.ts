// SPDX-License-Identifier: Apache-2.0
// What a flush changed in a table, object by object, for live views.
import type { Row } from "../../model/rows/row.ts";
import type { KindTable } from "../table/kind-table.ts";

/** An object at one moment. */
export interface ObjectState {
  readonly row: Row;
  /** Since when it is in trouble, by the hub's wall clock (HE18). */
  readonly troubledSinceMs: number | undefined;
}

/** One object before and after a flush; undefined where it does not exist. */
export interface ChangedObject {
  readonly before: ObjectState | undefined;
  readonly after: ObjectState | undefined;
}

/** All changes of a table from one version to another. Each object is in it once. */
export interface TableDelta {
  readonly table: KindTable;
  readonly fromVersion: number;
  readonly toVersion: number;
  readonly changes: readonly ChangedObject[];
  /** An estimate of the memory of the changes. */
  readonly sizeBytes: number;
}

/** Gets the deltas of tables. A change of a table of which it gets none has to be found by the table's version. */
export interface DeltaSink {
  /** Deltas cost time and memory, so none are made while this is false. */
  readonly wantsDeltas: boolean;
  noteDelta(delta: TableDelta): void;
}
