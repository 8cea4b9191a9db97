// SPDX-License-Identifier: Apache-2.0
// The changes of a fold in packed form. A change takes some 70 bytes in one array and is not an object. A first sync of
// 100,000 rows therefore adds no load to the garbage collector, and the feed can keep many changes.
import { uuidText } from "../../model/rows/uuid.ts";
import { type Status, statuses } from "../../model/status.ts";

/** The change of a row. Replacing an object by another of the same key is two changes: removed, then added. */
export const tableChanges = ["added", "changed", "removed"] as const;

export type TableChange = (typeof tableChanges)[number];

/** A change of one object. */
export interface FoldedChange {
  readonly kind: TableChange;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The status before; undefined for an added row. */
  readonly oldStatus: Status | undefined;
  /** The status now; undefined for a removed row. */
  readonly status: Status | undefined;
}

/** The packed changes of one resource: a value that can be passed between threads. */
export interface PackedSection {
  readonly resource: string;
  /** The number of added, changed and removed rows. */
  readonly counts: readonly number[];
  /** See `ChangePacker`. */
  readonly bytes: Uint8Array;
}

/** Beside the code of the change in the first byte: the uid is a text, not the 16 bytes of a UUID. */
export const textUidFlag = 4;

/** The bytes before the texts: change, old and new rank, the lengths of namespace, name and uid. */
export const changeHeadBytes = 3 + 3 * 4;

/** In place of a rank: there is no row. */
export const noRank = 0xff;

/** The memory of the objects and arrays of one resource's changes, beyond their bytes. */
const sectionOverheadBytes = 200;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The packed changes of the parts of one flush, in order. */
export class PackedChanges {
  /** Sections with at least one change. */
  readonly sections: readonly PackedSection[];

  constructor(sections: readonly PackedSection[]) {
    this.sections = sections.filter(({ bytes }) => bytes.length > 0);
  }

  get length(): number {
    return this.sections.reduce((sum, { counts }) => sum + counts.reduce((some, count) => some + count, 0), 0);
  }

  get sizeBytes(): number {
    const sizeOf = ({ resource, bytes }: PackedSection): number =>
      sectionOverheadBytes + resource.length + bytes.length;
    return this.sections.reduce((sum, section) => sum + sizeOf(section), sectionOverheadBytes);
  }

  /** Builds the values anew on each call. */
  list(): readonly FoldedChange[] {
    return this.sections.flatMap((section) => [...unpackChanges(section)]);
  }

  /** The number of changes of each kind, by resource. A resource may occur more than once. */
  *counts(): Generator<{ readonly resource: string; readonly kind: TableChange; readonly count: number }> {
    for (const { resource, counts } of this.sections)
      for (const [code, kind] of tableChanges.entries()) {
        const count = counts[code] ?? 0;
        if (count > 0) yield { resource, kind, count };
      }
  }
}

/** The changes of a section as values. */
export function* unpackChanges({ resource, bytes }: PackedSection): Generator<FoldedChange, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (from: number, end: number): string => decoder.decode(bytes.subarray(from, end));
  for (let at = 0; at < bytes.length; ) {
    const code = view.getUint8(at);
    const nameAt = at + changeHeadBytes + view.getUint32(at + 3);
    const uidAt = nameAt + view.getUint32(at + 7);
    const end = uidAt + view.getUint32(at + 11);
    yield {
      kind: tableChanges[code & ~textUidFlag] ?? "changed",
      resource,
      namespace: text(at + changeHeadBytes, nameAt),
      name: text(nameAt, uidAt),
      uid: (code & textUidFlag) === 0 ? uuidText(bytes, uidAt) : text(uidAt, end),
      oldStatus: statuses[view.getUint8(at + 1)],
      status: statuses[view.getUint8(at + 2)],
    };
    at = end;
  }
}
