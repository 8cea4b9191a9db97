// SPDX-License-Identifier: Apache-2.0
// The growing counterparts of a batch's tables, which rows of many batches refer to.

import { uuidBytes } from "../rows/uuid.ts";
import { absentId } from "./format.ts";
import type { GroupTable } from "./group-table.ts";
import { type GrowingArray, growingBytes, growingIds } from "./growing-array.ts";
import type { OwnerTable } from "./owner-table.ts";
import type { UidColumn } from "./uid-column.ts";

/** A growing column of ids. */
export type Ids = GrowingArray<Uint32Array<ArrayBuffer>>;
/** A growing column of numbers. */
export type Numbers = GrowingArray<Float64Array<ArrayBuffer>>;
/** A growing column of bytes. */
export type Bytes = GrowingArray<Uint8Array<ArrayBuffer>>;

/** Appends ids of a batch's table, mapped through `idOf`. The mark for absent stays. */
export function appendMapped(to: Ids, ids: Uint32Array, idOf: Uint32Array): void {
  const from = to.extend(ids.length);
  const out = to.elements;
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at] ?? absentId;
    out[from + at] = id === absentId ? absentId : (idOf[id] ?? 0);
  }
}

/** Appends ids of entries that were appended after `known` others. Entry 0 and the mark for absent stay. */
export function appendShifted(to: Ids, ids: Uint32Array, known: number): void {
  const from = to.extend(ids.length);
  const out = to.elements;
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at] ?? 0;
    out[from + at] = id === 0 || id === absentId ? id : id + known;
  }
}

/** Uids of both forms: 16 bytes each. If `texts` is not 0, the text of that id applies instead. */
export class UidColumns {
  readonly uuids: Bytes = growingBytes();
  readonly texts: Ids = growingIds();

  append(uids: UidColumn, count: number, idOf: Uint32Array): void {
    if (uids.form === "uuid") {
      this.uuids.append(uids.bytes);
      this.texts.fill(0, count);
    } else {
      this.uuids.fill(0, count * uuidBytes);
      appendMapped(this.texts, uids.ids, idOf);
    }
  }
}

/**
 * The sequences of string ids of all appended batches. Entry `id` ends at `ends[id]` and begins where the previous one
 * ends.
 */
export class GroupColumns {
  readonly ends: Ids = growingIds();
  readonly ids: Ids = growingIds();
  /** The keys of maps, parallel to their values in `ids`; empty for lists. */
  readonly keyIds: Ids = growingIds();

  constructor() {
    this.ends.append([0]);
  }

  /** The number of stored entries, without the empty one. */
  get count(): number {
    return this.ends.length - 1;
  }

  append(table: GroupTable, idOf: Uint32Array): void {
    const shift = this.ids.length;
    appendMapped(this.ids, table.ids, idOf);
    appendMapped(this.keyIds, table.keyIds, idOf);
    const from = this.ends.extend(table.offsets.length - 2);
    const out = this.ends.elements;
    for (let id = 1; id < table.offsets.length - 1; id += 1) out[from + id - 1] = shift + (table.offsets[id + 1] ?? 0);
  }
}

/** The owners of all appended batches. Owner `id` is at place `id - 1`; 0 is no owner. */
export class OwnerColumns {
  readonly groupIds: Ids = growingIds();
  readonly kindIds: Ids = growingIds();
  readonly nameIds: Ids = growingIds();
  readonly uids = new UidColumns();

  append(table: OwnerTable, idOf: Uint32Array): void {
    appendMapped(this.groupIds, table.groupIds, idOf);
    appendMapped(this.kindIds, table.kindIds, idOf);
    appendMapped(this.nameIds, table.nameIds, idOf);
    this.uids.append(table.uids, table.nameIds.length, idOf);
  }
}
