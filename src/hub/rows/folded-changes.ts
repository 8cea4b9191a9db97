// SPDX-License-Identifier: Apache-2.0
// The changes of a fold in packed form. A change takes some 70 bytes in one array and is not an object. A first sync of
// 100,000 rows therefore adds no load to the garbage collector, and the feed can keep many changes.
import { uuidBytes, uuidText } from "../../model/rows/uuid.ts";
import type { ChangeKind, RowChange } from "./fleet-reader.ts";
import type { FoldedChanges, PackedSection } from "./fold-types.ts";
import type { KeyPlace } from "./row-segment.ts";

const kinds: readonly ChangeKind[] = ["added", "changed", "removed"];
const codeOf: Readonly<Record<ChangeKind, number>> = { added: 0, changed: 1, removed: 2 };

/** A flag beside the kind's code: the uid is a text, not the 16 bytes of a UUID. */
const textUid = 4;

/** The bytes before the texts: the code, and the lengths of namespace, name and uid. */
const headBytes = 1 + 3 * 4;

/** The memory of the objects and arrays of one resource's changes, beyond their bytes. */
const sectionOverheadBytes = 200;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Packs the changes of one resource, in the order in which they are added. */
export class ChangePacker {
  readonly resource: string;
  readonly #counts = [0, 0, 0];
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #used = 0;

  constructor(resource: string) {
    this.resource = resource;
  }

  get length(): number {
    const [added = 0, changed = 0, removed = 0] = this.#counts;
    return added + changed + removed;
  }

  /** Copies the key and the uid, so that no batch is kept alive. */
  add(kind: ChangeKind, { strings, keys, at }: KeyPlace): void {
    const { offsets } = strings;
    const code = codeOf[kind];
    const [namespaceId, nameId] = [keys.namespaceIds[at] ?? 0, keys.nameIds[at] ?? 0];
    const uidId = keys.uids.form === "uuid" ? 0 : (keys.uids.ids[at] ?? 0);
    const namespaceBytes = (offsets[namespaceId + 1] ?? 0) - (offsets[namespaceId] ?? 0);
    const nameBytes = (offsets[nameId + 1] ?? 0) - (offsets[nameId] ?? 0);
    const uidBytes = keys.uids.form === "uuid" ? uuidBytes : (offsets[uidId + 1] ?? 0) - (offsets[uidId] ?? 0);
    this.#reserve(headBytes + namespaceBytes + nameBytes + uidBytes);
    this.#counts[code] = (this.#counts[code] ?? 0) + 1;
    this.#view.setUint8(this.#used, keys.uids.form === "uuid" ? code : code | textUid);
    this.#view.setUint32(this.#used + 1, namespaceBytes);
    this.#view.setUint32(this.#used + 5, nameBytes);
    this.#view.setUint32(this.#used + 9, uidBytes);
    this.#used += headBytes;
    this.#copy(strings.bytes, offsets[namespaceId] ?? 0, namespaceBytes);
    this.#copy(strings.bytes, offsets[nameId] ?? 0, nameBytes);
    if (keys.uids.form === "uuid") this.#copy(keys.uids.bytes, at * uuidBytes, uuidBytes);
    else this.#copy(strings.bytes, offsets[uidId] ?? 0, uidBytes);
  }

  /** The changes, without unused reserved bytes. Nothing may be added afterwards. */
  close(): PackedSection {
    return { resource: this.resource, counts: this.#counts, bytes: this.#bytes.slice(0, this.#used) };
  }

  /** Texts are short: a loop is faster than a view and `set`. */
  #copy(from: Uint8Array, start: number, byteCount: number): void {
    const [to, used] = [this.#bytes, this.#used];
    for (let at = 0; at < byteCount; at += 1) to[used + at] = from[start + at] ?? 0;
    this.#used += byteCount;
  }

  #reserve(byteCount: number): void {
    const needed = this.#used + byteCount;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

function* unpack({ resource, bytes }: PackedSection): Generator<RowChange, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (from: number, end: number): string => decoder.decode(bytes.subarray(from, end));
  for (let at = 0; at < bytes.length; ) {
    const code = view.getUint8(at);
    const nameAt = at + headBytes + view.getUint32(at + 1);
    const uidAt = nameAt + view.getUint32(at + 5);
    const end = uidAt + view.getUint32(at + 9);
    const namespace = text(at + headBytes, nameAt);
    const name = text(nameAt, uidAt);
    const uid = (code & textUid) === 0 ? uuidText(bytes, uidAt) : text(uidAt, end);
    yield { kind: kinds[code & ~textUid] ?? "changed", resource, namespace, name, uid };
    at = end;
  }
}

/** The packed changes of the parts of one flush. */
export class PackedChanges implements FoldedChanges {
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

  list(): readonly RowChange[] {
    return this.sections.flatMap((section) => [...unpack(section)]);
  }

  *counts(): Generator<{ readonly resource: string; readonly kind: ChangeKind; readonly count: number }> {
    for (const { resource, counts } of this.sections) {
      for (const kind of kinds) {
        const count = counts[codeOf[kind]] ?? 0;
        if (count > 0) yield { resource, kind, count };
      }
    }
  }
}
