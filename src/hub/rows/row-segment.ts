// SPDX-License-Identifier: Apache-2.0

import { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { KeyFields } from "../../model/row-batch/row-batch-parts.ts";
import { StringTable } from "../../model/row-batch/string-table.ts";
import { uidAt } from "../../model/row-batch/uid-column.ts";
import { bucketHash } from "../../model/rows/bucket.ts";
import type { ColumnSpec, Row } from "../../model/rows/row.ts";
import { uuidBytes } from "../../model/rows/uuid.ts";
import type { SnapshotGroup } from "./fold-types.ts";

/** The key at one place of a batch, without building strings. */
export interface KeyPlace {
  readonly strings: StringTable;
  readonly keys: KeyFields;
  readonly at: number;
}

const encoder = new TextEncoder();

/** Converts a key to a place, for lookups. It has no uid. */
export function placeOf(key: { readonly namespace: string; readonly name: string }): KeyPlace {
  const bytes = encoder.encode(key.namespace + key.name);
  const namespaceBytes = encoder.encode(key.namespace).length;
  const strings = new StringTable(bytes, Uint32Array.of(0, 0, namespaceBytes, bytes.length));
  const uids = { form: "text", ids: Uint32Array.of(0) } as const;
  return { strings, keys: { namespaceIds: Uint32Array.of(1), nameIds: Uint32Array.of(2), uids }, at: 0 };
}

/** The hash of a key in buckets and indexes. */
export function hashKey({ strings, keys, at }: KeyPlace): number {
  return bucketHash(strings.bytesOf(keys.namespaceIds[at] ?? 0), strings.bytesOf(keys.nameIds[at] ?? 0));
}

function isSameText(a: StringTable, aId: number, b: StringTable, bId: number): boolean {
  const aFrom = a.offsets[aId] ?? 0;
  const bFrom = b.offsets[bId] ?? 0;
  const byteCount = (a.offsets[aId + 1] ?? 0) - aFrom;
  if ((b.offsets[bId + 1] ?? 0) - bFrom !== byteCount) return false;
  for (let at = 0; at < byteCount; at += 1) if (a.bytes[aFrom + at] !== b.bytes[bFrom + at]) return false;
  return true;
}

/** True if both places have the same namespace and name. */
export function isSameKey(a: KeyPlace, b: KeyPlace): boolean {
  return (
    isSameText(a.strings, a.keys.nameIds[a.at] ?? 0, b.strings, b.keys.nameIds[b.at] ?? 0) &&
    isSameText(a.strings, a.keys.namespaceIds[a.at] ?? 0, b.strings, b.keys.namespaceIds[b.at] ?? 0)
  );
}

/** Orders keys by namespace, then name, bytewise: the order of a batch's rows. */
export function compareKeys(a: KeyPlace, b: KeyPlace): number {
  const textOf = ({ strings, at }: KeyPlace, ids: Uint32Array): Uint8Array => strings.bytesOf(ids[at] ?? 0);
  return (
    Buffer.compare(textOf(a, a.keys.namespaceIds), textOf(b, b.keys.namespaceIds)) ||
    Buffer.compare(textOf(a, a.keys.nameIds), textOf(b, b.keys.nameIds))
  );
}

/** True if both places of one key have the same uid. An object without a uid matches any (CO20). */
export function isSameObject(a: KeyPlace, b: KeyPlace): boolean {
  const [left, right] = [a.keys.uids, b.keys.uids];
  if (left.form === "uuid" && right.form === "uuid") {
    for (let at = 0; at < uuidBytes; at += 1)
      if (left.bytes[a.at * uuidBytes + at] !== right.bytes[b.at * uuidBytes + at]) return false;
    return true;
  }
  const [leftUid, rightUid] = [uidOf(a), uidOf(b)];
  return leftUid === rightUid || leftUid === "" || rightUid === "";
}

/** The uid at a place. */
export function uidOf({ strings, keys, at }: KeyPlace): string {
  return uidAt(keys.uids, at, strings);
}

/**
 * The same batch with its own text cache, which is released with the view. A batch that is held for long therefore
 * caches no texts.
 */
export function viewOf({ parts }: RowBatch): RowBatch {
  return new RowBatch({ ...parts, strings: new StringTable(parts.strings.bytes, parts.strings.offsets) });
}

/** A held batch and the set of its live rows. The batch never changes. */
export class RowSegment {
  readonly batch: RowBatch;
  /** 1 for a live row. */
  readonly live: Uint8Array;
  liveCount = 0;

  constructor(batch: RowBatch, live = new Uint8Array(batch.rowCount)) {
    this.batch = batch;
    this.live = live;
  }

  /** Copies the segment. The live rows of the copy change independently. */
  fork(): RowSegment {
    const forked = new RowSegment(this.batch, this.live.slice());
    forked.liveCount = this.liveCount;
    return forked;
  }

  place(at: number): KeyPlace {
    const { strings, fields } = this.batch.parts;
    return { strings, keys: fields, at };
  }

  keep(at: number): void {
    this.live[at] = 1;
    this.liveCount += 1;
  }

  drop(at: number): void {
    this.live[at] = 0;
    this.liveCount -= 1;
  }
}

/** The rows of a segment at one moment. Later changes do not affect it. */
export class SegmentSnapshot implements SnapshotGroup {
  readonly #batch: RowBatch;
  readonly #live: Uint8Array;

  constructor({ batch, live }: RowSegment) {
    this.#batch = batch;
    this.#live = live.slice();
  }

  get kind(): string {
    return this.#batch.kind;
  }

  get columns(): readonly ColumnSpec[] {
    return this.#batch.parts.columns.map(({ name, type }) => ({ name, type }));
  }

  *rows(): Generator<Row, void, undefined> {
    const view = viewOf(this.#batch);
    for (let at = 0; at < this.#live.length; at += 1) if (this.#live[at] === 1) yield view.row(at);
  }
}
