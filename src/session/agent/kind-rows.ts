// SPDX-License-Identifier: Apache-2.0
import type { ResourceId } from "../../model/gvr.ts";
import type { ColumnSpec, Row, RowContent } from "../../model/rows/row.ts";

/** The wire description of a kind. */
export interface KindSpec {
  readonly resource: ResourceId;
  /** Its Kubernetes kind, such as `Pod`. */
  readonly kind: string;
  /** Every column that a row may have a value for. */
  readonly columns: readonly ColumnSpec[];
}

/** The rows of one kind, as its collector writes them. Calls take effect at once; arguments are not kept. */
export interface KindRows {
  readonly spec: KindSpec;
  /** The resource id as text. */
  readonly resource: string;
  /** Its index among the kinds of the table. */
  readonly number: number;
  /**
   * A list that counts was completed in this process. Only then are the rows claimed, sent and replaced (SE25, SE26).
   */
  readonly isComplete: boolean;
  /** Number of objects in the cluster. */
  readonly rowCount: number;
  /**
   * Seals and stores the current row of an object. False if the known row has the same hash: nothing is to be sent
   * (CO42). Throws INVALID_ARGUMENT or TOO_LARGE for invalid content (CO24, CO63); the known row stays.
   */
  upsert(content: RowContent): boolean;
  /** Removes an object. False if it is not known, or known with another uid. The uid "" matches any. */
  delete(key: { readonly namespace: string; readonly name: string }, uid: string): boolean;
  /** The newest row of an object, decoded; undefined if the cluster has no object with that key. */
  get(key: { readonly namespace: string; readonly name: string }): Row | undefined;
  /** Begins a list. An earlier unfinished list is discarded and removes nothing (L4). */
  beginList(): void;
  /**
   * Ends a complete list: objects that it did not contain are removed, unless `keepsUnseen`, for a list with unreadable
   * parts (L4). Returns the number of removed objects. A call without `beginList` is a bug.
   */
  endList(keepsUnseen?: boolean): number;
  /**
   * Invalidates all lists that began before now (SE36): the kind is complete again when the next one ends. Rows stay.
   */
  invalidateLists(): void;
}
