// SPDX-License-Identifier: Apache-2.0
import type { KindTable, ReadableIds } from "../table/kind-table.ts";
import type { NumberColumn } from "../table/number-column.ts";

/** A column of numbers as filters read it. */
export type ScannedNumbers = Pick<NumberColumn, "values" | "unit" | "presentCount" | "hasSmallWords">;

/** What filters read of rows: those of one table, or those of several tables of a cluster, one after the other. */
export interface ScannedRows extends Pick<KindTable, "count" | "statusCount" | "column" | "uidOf" | "findUid"> {
  readonly namespaces: ReadableIds;
  readonly names: ReadableIds;
  readonly statuses: ReadableIds;
  readonly reasons: ReadableIds;
  readonly messages: ReadableIds;
  readonly labels: ReadableIds;
  readonly annotations: ReadableIds;
  readonly owners: ReadableIds;
  readonly creationTimes: ScannedNumbers;
  /** The rows of a namespace, by its number. Absent where they would have to be searched for. */
  rowsIn?(namespace: number): Uint32Array;
}
