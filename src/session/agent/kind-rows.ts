// SPDX-License-Identifier: Apache-2.0
import type { ResourceId } from "../../model/gvr.ts";
import type { ColumnSpec, RowContent } from "../../model/row.ts";

/** A kind as its rows travel. */
export interface KindSpec {
  readonly resource: ResourceId;
  /** As Kubernetes writes it: `Pod`. */
  readonly kind: string;
  /** Every column that a row may have a value for. */
  readonly columns: readonly ColumnSpec[];
}

/** What collects one kind tells of it here. Calls take effect at once; nothing is kept of the arguments. */
export interface KindRows {
  readonly spec: KindSpec;
  /** The text of its resource id. */
  readonly resource: string;
  /** Its place among the kinds of the table. */
  readonly number: number;
  /** A list was completed in this process that counts: only then are its rows claimed, sent and replaced (SE25, SE26). */
  readonly isComplete: boolean;
  /** Objects that the cluster has. */
  readonly rowCount: number;
  /**
   * The row of an object as it is now; it is sealed here. False when the row known has the same hash: nothing is to be sent (CO42). Throws
   * INVALID_ARGUMENT or TOO_LARGE for content that is no row (CO24, CO63); the row known stays.
   */
  upsert(content: RowContent): boolean;
  /** The object is gone. False for one that is not known, or when the one known under this name has another uid. A uid of "" fits each. */
  delete(key: { readonly namespace: string; readonly name: string }, uid: string): boolean;
  /** A list begins. One that began before and did not end is forgotten, and removes nothing (L4). */
  beginList(): void;
  /**
   * The list is whole: what it did not hold is gone, unless `keepsUnseen`, for a list of which something could not be read (L4). Answers how many
   * are gone. Without `beginList` it is a bug.
   */
  endList(keepsUnseen?: boolean): number;
  /** No list that began before now counts any more (SE36): the kind is complete again when the next one ends. Its rows stay. */
  doubtLists(): void;
}
