// SPDX-License-Identifier: Apache-2.0
import type { Brand } from "../base/brand.ts";
import type { Status } from "./status.ts";

/** A token of one API server for one state of one object; only equality means anything (CO22). */
export type ResourceVersion = Brand<string, "ResourceVersion">;

/** Takes any text as a token; there is nothing to check in it. */
export function toResourceVersion(text: string): ResourceVersion {
  return text as ResourceVersion;
}

/** 64 bits over an object's key and projected content (CO41). Made by `RowSealer`, carried and summed by everybody else. */
export type RowHash = Brand<bigint, "RowHash">;

/** The low 64 bits of a number as a row hash; for what arrives from a batch or a store. */
export function toRowHash(value: bigint): RowHash {
  return BigInt.asUintN(64, value) as RowHash;
}

/** The types a column may have; a type's place plus one is its number on the wire, so the order never changes within a version. */
export const columnTypes = ["string", "integer", "float", "boolean", "stringList"] as const;

/** What the values of a column are. `integer` holds safe integers, `float` finite numbers (CO23). */
export type ColumnType = (typeof columnTypes)[number];

/** A column of one kind, as the kind declares it. */
export interface ColumnSpec {
  readonly name: string;
  readonly type: ColumnType;
}

/** A value of a column; which of these it may be is said by the column's spec. */
export type ColumnValue = string | number | boolean | readonly string[];

/** The controller that made an object. */
export interface Owner {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** "" when the cluster gave none. */
  readonly uid: string;
}

/** What a kind's projection makes of an object: everything of a row except its hash (CO20). Maps, because any text may be a key (CO25). */
export interface RowContent {
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** "" for the few objects that have none. */
  readonly uid: string;
  readonly resourceVersion: ResourceVersion;
  readonly generation: number;
  /** Milliseconds since 1970 by the cluster's clock; 0 when not reported (CO21). */
  readonly createdAt: number;
  readonly deletedAt?: number;
  readonly status: Status;
  readonly reason: string;
  readonly message: string;
  readonly labels: ReadonlyMap<string, string>;
  /** Allow-listed ones only (L18). */
  readonly annotations: ReadonlyMap<string, string>;
  readonly owner?: Owner;
  /** Values by column name; a column without a value is left out. */
  readonly columns: ReadonlyMap<string, ColumnValue>;
}

/** One object as it travels, is stored and is queried. Cluster and resource are those of what carries it. */
export interface Row extends RowContent {
  readonly rowHash: RowHash;
}

/** The end of an object, under its key. The uid says which of several objects that had the key one after another. */
export interface RowDelete {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}
