// SPDX-License-Identifier: Apache-2.0
import type { RowBatchParts } from "../../model/row-batch/row-batch-parts.ts";
import { uuidBytes } from "../../model/rows/uuid.ts";
import type { TableSink } from "../table/apply-part.ts";
import type { TableState } from "../table/table-state.ts";
import {
  changeHeadBytes,
  noRank,
  type PackedSection,
  type TableChange,
  tableChanges,
  textUidFlag,
} from "./packed-changes.ts";

const codeOf: Readonly<Record<TableChange, number>> = { added: 0, changed: 1, removed: 2 };

/** Bytes of an array. */
interface ByteRange {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly end: number;
}

/** Packs the changes of one resource, in the order in which they come. */
export class ChangePacker implements TableSink {
  readonly resource: string;
  readonly #counts = tableChanges.map(() => 0);
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #used = 0;

  constructor(resource: string) {
    this.resource = resource;
  }

  get length(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  added(parts: RowBatchParts, place: number): void {
    this.#addFromBatch("added", noRank, parts, place);
  }

  changed(parts: RowBatchParts, place: number, oldRank: number): void {
    this.#addFromBatch("changed", oldRank, parts, place);
  }

  removed(state: TableState, row: number): void {
    const { cluster, cells } = state;
    const { texts } = cluster;
    const rangeOf = (id: number): ByteRange => ({
      bytes: texts.bytes,
      from: texts.startOf(id),
      end: texts.endOf(id),
    });
    const uidText = cells.uids.texts.at(row);
    const uuid = { bytes: cells.uids.uuids.values, from: row * uuidBytes, end: (row + 1) * uuidBytes };
    this.#add(uidText === 0 ? codeOf.removed : codeOf.removed | textUidFlag, cells.statuses.values[row] ?? 0, noRank, [
      rangeOf(cluster.namespaceText(state.namespaces.values[row] ?? 0)),
      rangeOf(state.names.values[row] ?? 0),
      uidText === 0 ? uuid : rangeOf(uidText - 1),
    ]);
  }

  /** The changes, without unused reserved bytes. Nothing may be added afterwards. */
  close(): PackedSection {
    return { resource: this.resource, counts: this.#counts, bytes: this.#bytes.slice(0, this.#used) };
  }

  #addFromBatch(change: "added" | "changed", oldRank: number, { strings, fields }: RowBatchParts, place: number): void {
    const { uids } = fields;
    const rangeOf = (id: number): ByteRange => ({
      bytes: strings.bytes,
      from: strings.offsets[id] ?? 0,
      end: strings.offsets[id + 1] ?? 0,
    });
    const isUuid = uids.form === "uuid";
    this.#add(isUuid ? codeOf[change] : codeOf[change] | textUidFlag, oldRank, fields.statuses[place] ?? 0, [
      rangeOf(fields.namespaceIds[place] ?? 0),
      rangeOf(fields.nameIds[place] ?? 0),
      isUuid
        ? { bytes: uids.bytes, from: place * uuidBytes, end: (place + 1) * uuidBytes }
        : rangeOf(uids.ids[place] ?? 0),
    ]);
  }

  /** Copies namespace, name and uid, so that no batch is kept alive. */
  #add(code: number, oldRank: number, newRank: number, texts: readonly [ByteRange, ByteRange, ByteRange]): void {
    const [namespace, name, uid] = texts;
    const [namespaceBytes, nameBytes] = [namespace.end - namespace.from, name.end - name.from];
    const uidBytes = uid.end - uid.from;
    this.#reserve(changeHeadBytes + namespaceBytes + nameBytes + uidBytes);
    const kind = code & ~textUidFlag;
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
    this.#view.setUint8(this.#used, code);
    this.#view.setUint8(this.#used + 1, oldRank);
    this.#view.setUint8(this.#used + 2, newRank);
    this.#view.setUint32(this.#used + 3, namespaceBytes);
    this.#view.setUint32(this.#used + 7, nameBytes);
    this.#view.setUint32(this.#used + 11, uidBytes);
    this.#used += changeHeadBytes;
    this.#copy(namespace);
    this.#copy(name);
    this.#copy(uid);
  }

  /** Texts are short: a loop is faster than a view and `set`. */
  #copy({ bytes, from, end }: ByteRange): void {
    const to = this.#bytes;
    let used = this.#used;
    for (let at = from; at < end; at += 1, used += 1) to[used] = bytes[at] ?? 0;
    this.#used = used;
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
