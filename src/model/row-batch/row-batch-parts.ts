// SPDX-License-Identifier: Apache-2.0
// The arrays of a decoded batch, read by `RowBatch` and by `RowColumns`.
import type { ResourceId } from "../gvr.ts";
import type { BatchColumn } from "./column.ts";
import type { GroupTable } from "./group-table.ts";
import type { OwnerTable } from "./owner-table.ts";
import type { StringTable } from "./string-table.ts";
import type { TokenColumn } from "./token-column.ts";
import type { UidColumn } from "./uid-column.ts";

/** The keys of rows or deletes, in key order. Ids are string ids. */
export interface KeyFields {
  readonly namespaceIds: Uint32Array;
  readonly nameIds: Uint32Array;
  readonly uids: UidColumn;
}

/** The fields that rows of every kind have, one element per row. `…Ids` are string ids unless noted otherwise. */
export interface RowFields extends KeyFields {
  readonly count: number;
  /** Row hashes, 64 bits little-endian each. */
  readonly hashes: DataView;
  readonly resourceVersions: TokenColumn;
  readonly generations: Float64Array;
  readonly createdAts: Float64Array;
  /** NaN: not being deleted. */
  readonly deletedAts: Float64Array;
  /** Indexes into `statuses`. */
  readonly statuses: Uint8Array;
  readonly reasonIds: Uint32Array;
  readonly messageIds: Uint32Array;
  /** Ids of maps. */
  readonly labelsIds: Uint32Array;
  /** Ids of maps. */
  readonly annotationsIds: Uint32Array;
  /** Ids of owners. */
  readonly ownerIds: Uint32Array;
}

/** All decoded and checked parts. */
export interface RowBatchParts {
  readonly resource: ResourceId;
  readonly kind: string;
  readonly strings: StringTable;
  /** Labels and annotations: pairs of string ids. */
  readonly maps: GroupTable;
  readonly lists: GroupTable;
  readonly owners: OwnerTable;
  readonly fields: RowFields;
  readonly columns: readonly BatchColumn[];
  readonly deletes: KeyFields;
  /** The bytes of the arrays that decoding allocated (CO31). */
  readonly decodedBytes: number;
  /** The memory that a held batch takes: the bytes it borrows and the arrays built from them. */
  readonly heldBytes: number;
  /** The bytes of all rows, each with all its texts, as CO24 counts them. */
  readonly expandedBytes: number;
}
