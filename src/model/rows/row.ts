// SPDX-License-Identifier: Apache-2.0
import type { Brand } from "../../base/brand.ts";
import type { Status } from "../status.ts";

/** A token of one API server for one state of one object. Tokens are only compared for equality (CO22). */
export type ResourceVersion = Brand<string, "ResourceVersion">;

/** Any text is a valid token. */
export function toResourceVersion(text: string): ResourceVersion {
  return text as ResourceVersion;
}

/**
 * 64 bits over an object's key and projected content (CO41). Computed by `RowSealer`; all other code only carries and
 * sums it.
 */
export type RowHash = Brand<bigint, "RowHash">;

/** The low 64 bits of a number as a row hash, for values from a batch or a store. */
export function toRowHash(value: bigint): RowHash {
  return BigInt.asUintN(64, value) as RowHash;
}

/**
 * The types of columns. A type's index plus one is its number on the wire, so the order never changes within a version.
 */
export const columnTypes = ["string", "integer", "float", "boolean", "stringList"] as const;

/** The type of a column's values. `integer` holds safe integers, `float` finite numbers (CO23). */
export type ColumnType = (typeof columnTypes)[number];

/** A column of one kind, as the kind declares it. */
export interface ColumnSpec {
  readonly name: string;
  readonly type: ColumnType;
}

/** A value of a column. The column's spec determines its type. */
export type ColumnValue = string | number | boolean | readonly string[];

/** The owner of an object: its controller, else its first owner reference (KI4). */
export interface Owner {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** "" if the cluster reports none. */
  readonly uid: string;
}

/** The projection of an object: a row without its hash (CO20). Maps, because any text may be a key (CO25). */
export interface RowContent {
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** "" for objects without a uid. */
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
  /** Only those on the allow-list (L18). */
  readonly annotations: ReadonlyMap<string, string>;
  readonly owner?: Owner;
  /** Values by column name. Columns without a value are left out. */
  readonly columns: ReadonlyMap<string, ColumnValue>;
}

/** One object as sent, stored and queried. Its cluster and resource are those of the container that holds it. */
export interface Row extends RowContent {
  readonly rowHash: RowHash;
}

/** The deletion of an object, by its key. The uid distinguishes objects that had the key one after another. */
export interface RowDelete {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}
