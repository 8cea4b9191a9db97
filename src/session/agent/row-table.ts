// SPDX-License-Identifier: Apache-2.0
// The agent's picture of its cluster: for each key the newest row and what was sent of it (SE14). Rows are bytes in an arena, most
// of them packed, so that those of 50,000 objects take some 10 MiB; they become values one by one, when they are sent.
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import { bucketHash, sessionBucketCount } from "../../model/bucket.ts";
import { ByteWriter } from "../../model/byte-writer.ts";
import { isCanonicalResourceId, resourceIdText } from "../../model/gvr.ts";
import { type Row, type RowHash, toRowHash } from "../../model/row.ts";
import { quote } from "../../model/text.ts";
import { ByteArena, maxRecordBytes } from "./byte-arena.ts";
import type { BytePacker } from "./byte-packer.ts";
import type { KindRows, KindSpec } from "./kind-rows.ts";
import { RecordReader } from "./record-reader.ts";
import { readRowContent, writeRowContent } from "./row-bytes.ts";
import { RowSlots, slotFlags } from "./row-slots.ts";
import { SlotUids } from "./slot-uids.ts";

const { row: hasRow, sent: hasSent, seen: isSeen } = slotFlags;

/** What the hub holds of a key, as far as was sent. */
export interface SentRow {
  readonly hash: RowHash;
  readonly uid: string;
}

/** Told of what may have to be sent. It must not change the table. */
export interface RowListener {
  /** A row of a complete kind has changed, come or gone. */
  rowChanged(kind: KindRows, slot: number): void;
  /** The first complete list of a kind; its rows count as sent from now on (SE25). */
  kindCompleted(kind: KindRows): void;
}

interface Key {
  readonly namespace: string;
  readonly name: string;
}

/** The rows of one cluster. A key has a slot while the cluster has the object, the hub holds a row of it, or a flush names it. */
export class RowTable {
  readonly #slots = new RowSlots();
  readonly #uids = new SlotUids();
  /** The record of each slot. */
  readonly #arena: ByteArena;
  readonly #writer = new ByteWriter();
  readonly #kinds: KindEntry[] = [];
  readonly #byResource = new Map<string, KindEntry>();
  /** The uid that was sent, where it is not that of the row: objects that are gone, and names that went to another object. */
  readonly #sentUids = new Map<number, string>();
  #listener: RowListener | undefined;

  constructor(packer: BytePacker) {
    this.#arena = new ByteArena(packer);
  }

  /** Bytes of arena and arrays; the maps of kinds and tombstones come on top. */
  get heldBytes(): number {
    return this.#arena.heldBytes + this.#slots.heldBytes + this.#uids.heldBytes;
  }

  /** All kinds opened, in that order. */
  get kinds(): readonly KindRows[] {
    return this.#kinds;
  }

  /** Whoever sends listens; there is one. */
  listen(listener: RowListener): void {
    this.#listener = listener;
  }

  /** The kind, which is opened at the first call. A later spec takes the place of the earlier one. */
  openKind(spec: KindSpec): KindRows {
    assert(isCanonicalResourceId(spec.resource), "a kind's resource is canonical");
    const resource = resourceIdText(spec.resource);
    const known = this.#byResource.get(resource);
    if (known !== undefined) {
      known.spec = spec;
      return known;
    }
    assert(this.#kinds.length < 65_536, "the number of a kind has 16 bits");
    const kind = new KindEntry(this, spec, resource, this.#kinds.length);
    this.#kinds.push(kind);
    this.#byResource.set(resource, kind);
    return kind;
  }

  /** The kind of that resource; undefined when it was never opened. */
  getKind(resource: string): KindRows | undefined {
    return this.#byResource.get(resource);
  }

  /** Slots of the kind that hold something, in no order. */
  *slotsOf(kind: KindRows): Generator<number, void, undefined> {
    const { flags, kinds } = this.#slots;
    for (let slot = 0; slot < this.#slots.end; slot += 1)
      if (((flags[slot] ?? 0) & (hasRow | hasSent)) !== 0 && kinds[slot] === kind.number) yield slot;
  }

  /** Calls back with each row that counts as sent: its kind's number, its bucket, its hash. */
  forEachSent(callback: (kindNumber: number, bucket: number, hash: bigint) => void): void {
    const { flags, kinds, keyHashes, sentHashes } = this.#slots;
    for (let slot = 0; slot < this.#slots.end; slot += 1)
      if (((flags[slot] ?? 0) & hasSent) !== 0)
        callback(kinds[slot] ?? 0, (keyHashes[slot] ?? 0) & (sessionBucketCount - 1), sentHashes[slot] ?? 0n);
  }

  /** The bucket of the slot's key. */
  bucketOf(slot: number): number {
    return (this.#slots.keyHashes[slot] ?? 0) & (sessionBucketCount - 1);
  }

  kindOf(slot: number): KindRows {
    const kind = this.#kinds[this.#slots.kinds[slot] ?? 0];
    assert(kind !== undefined, "a slot is of a kind");
    return kind;
  }

  /** The newest row; undefined when the cluster has no object of that key. */
  row(slot: number): Row | undefined {
    if (!this.#has(slot, hasRow)) return undefined;
    const reader = this.#reader(slot);
    const key = { namespace: reader.text(), name: reader.text() };
    return readRowContent(reader, { ...key, uid: this.#uids.get(slot), rowHash: this.#hash(slot) });
  }

  key(slot: number): Key {
    const reader = this.#reader(slot);
    return { namespace: reader.text(), name: reader.text() };
  }

  /** Bytes of the slot's record: a measure of what it takes on the wire before compression, if anything too high. */
  recordBytes(slot: number): number {
    return this.#slots.sizes[slot] ?? 0;
  }

  /** The slots in the order in which reading them is cheapest; whoever reads many follows it. */
  inReadingOrder(slots: Iterable<number>): readonly number[] {
    return this.#arena.inOrder(slots);
  }

  sent(slot: number): SentRow | undefined {
    if (!this.#has(slot, hasSent)) return undefined;
    const uid = this.#sentUids.get(slot) ?? this.#uids.get(slot);
    return { hash: toRowHash(this.#slots.sentHashes[slot] ?? 0n), uid };
  }

  /** Whether the cluster's row is not what was sent. */
  isChanged(slot: number): boolean {
    if (this.#has(slot, hasRow) !== this.#has(slot, hasSent)) return true;
    return this.#has(slot, hasRow) && this.#hash(slot) !== this.#slots.sentHashes[slot];
  }

  /** From now on this counts as sent. */
  setSent(slot: number, sent: SentRow | undefined): void {
    const { flags, sentHashes } = this.#slots;
    this.#sentUids.delete(slot);
    if (sent === undefined) {
      flags[slot] = (flags[slot] ?? 0) & ~hasSent;
      this.#freeIfEmpty(slot);
      return;
    }
    flags[slot] = (flags[slot] ?? 0) | hasSent;
    sentHashes[slot] = sent.hash;
    if (!this.#has(slot, hasRow) || this.#uids.get(slot) !== sent.uid) this.#sentUids.set(slot, sent.uid);
  }

  /** All of the kind's rows count as sent, and nothing else does: where a new incarnation begins (SE25). */
  claim(kind: KindRows): void {
    const { flags, hashes, sentHashes } = this.#slots;
    for (const slot of this.slotsOf(kind)) {
      this.#sentUids.delete(slot);
      sentHashes[slot] = hashes[slot] ?? 0n;
      const isThere = this.#has(slot, hasRow);
      flags[slot] = isThere ? (flags[slot] ?? 0) | hasSent : (flags[slot] ?? 0) & ~hasSent;
      this.#freeIfEmpty(slot);
    }
  }

  /** A flush names the slot: it stays until `unpin`, at most 255 times at once. */
  pin(slot: number): void {
    assert((this.#slots.pins[slot] ?? 0) < 255, "pins have 8 bits");
    this.#slots.pins[slot] = (this.#slots.pins[slot] ?? 0) + 1;
  }

  unpin(slot: number): void {
    assert((this.#slots.pins[slot] ?? 0) > 0, "a slot is unpinned as often as it was pinned");
    this.#slots.pins[slot] = (this.#slots.pins[slot] ?? 0) - 1;
    this.#freeIfEmpty(slot);
  }

  /** For the kind's handle. */
  upsertOf(kind: KindEntry, row: Row): boolean {
    const keyHash = this.#writeKey(row);
    const known = this.#find(kind.number, keyHash);
    if (known !== undefined && this.#has(known, hasRow) && this.#hash(known) === row.rowHash) {
      this.#slots.flags[known] = (this.#slots.flags[known] ?? 0) | isSeen;
      return false;
    }
    this.#writeContent(kind, row);
    const sent = known === undefined ? undefined : this.sent(known);
    const slot = known ?? this.#slots.take(kind.number, keyHash);
    if (!this.#has(slot, hasRow)) kind.rowCount += 1;
    this.#store(slot);
    this.#uids.set(slot, row.uid);
    this.#slots.hashes[slot] = row.rowHash;
    this.#slots.flags[slot] = (this.#slots.flags[slot] ?? 0) | hasRow | isSeen;
    if (sent !== undefined) this.setSent(slot, sent);
    if (kind.isComplete) this.#listener?.rowChanged(kind, slot);
    return true;
  }

  /** For the kind's handle. */
  deleteOf(kind: KindEntry, key: Key, uid: string): boolean {
    const slot = this.#find(kind.number, this.#writeKey(key));
    if (slot === undefined || !this.#has(slot, hasRow)) return false;
    if (uid !== "" && this.#uids.get(slot) !== uid) return false;
    this.#remove(kind, slot);
    return true;
  }

  /** For the kind's handle. */
  forgetSeen(kind: KindEntry): void {
    const { flags } = this.#slots;
    for (const slot of this.slotsOf(kind)) flags[slot] = (flags[slot] ?? 0) & ~isSeen;
  }

  /** For the kind's handle. */
  removeUnseen(kind: KindEntry): number {
    let removedCount = 0;
    for (const slot of this.slotsOf(kind)) {
      if (!this.#has(slot, hasRow) || this.#has(slot, isSeen)) continue;
      this.#remove(kind, slot);
      removedCount += 1;
    }
    return removedCount;
  }

  /** For the kind's handle. */
  complete(kind: KindEntry): void {
    this.claim(kind);
    this.#listener?.kindCompleted(kind);
  }

  #remove(kind: KindEntry, slot: number): void {
    const sent = this.sent(slot);
    this.#writeKey(this.key(slot));
    this.#store(slot);
    this.#uids.drop(slot);
    this.#slots.flags[slot] = (this.#slots.flags[slot] ?? 0) & ~hasRow;
    kind.rowCount -= 1;
    if (sent !== undefined) this.setSent(slot, sent);
    if (kind.isComplete) this.#listener?.rowChanged(kind, slot);
    this.#freeIfEmpty(slot);
  }

  #has(slot: number, flag: number): boolean {
    return ((this.#slots.flags[slot] ?? 0) & flag) !== 0;
  }

  #hash(slot: number): RowHash {
    return toRowHash(this.#slots.hashes[slot] ?? 0n);
  }

  #reader(slot: number): RecordReader {
    return new RecordReader(this.#arena.view(slot));
  }

  /** Puts the key into the writer, alone, and answers its hash. */
  #writeKey(key: Key): number {
    const writer = this.#writer;
    writer.reset();
    writer.text(key.namespace);
    const between = writer.length;
    writer.text(key.name);
    const bytes = writer.view();
    return bucketHash(textIn(bytes.subarray(0, between)), textIn(bytes.subarray(between)));
  }

  /** Puts the row's content behind its key. Throws TOO_LARGE. */
  #writeContent(kind: KindEntry, row: Row): void {
    writeRowContent(this.#writer, row);
    const byteCount = this.#writer.length;
    if (byteCount <= maxRecordBytes) return;
    throw new FlotillaError(
      "TOO_LARGE",
      `the row of ${kind.resource} ${quote(`${row.namespace}/${row.name}`)} takes ${byteCount} bytes in memory, the most is ${maxRecordBytes}`,
      { ids: { resource: kind.resource } },
    );
  }

  /** The slot of the key that is in the writer. */
  #find(kindNumber: number, keyHash: number): number | undefined {
    const wanted = this.#writer.view();
    return this.#slots.find(kindNumber, keyHash, (slot) => {
      const bytes = this.#arena.view(slot);
      for (let at = 0; at < wanted.length; at += 1) if (bytes[at] !== wanted[at]) return false;
      return true;
    });
  }

  /** What is in the writer becomes the slot's record. */
  #store(slot: number): void {
    const bytes = this.#writer.view();
    this.#arena.set(slot, bytes);
    this.#slots.sizes[slot] = bytes.length;
  }

  #freeIfEmpty(slot: number): void {
    if (this.#has(slot, hasRow | hasSent) || this.#slots.pins[slot] !== 0) return;
    this.#arena.drop(slot);
    this.#slots.free(slot);
  }
}

/** A text without its length, which takes one byte for each seven bits. */
function textIn(bytes: Uint8Array): Uint8Array {
  let at = 0;
  while ((bytes[at] ?? 0) >= 0x80) at += 1;
  return bytes.subarray(at + 1);
}

class KindEntry implements KindRows {
  spec: KindSpec;
  readonly resource: string;
  readonly number: number;
  isComplete = false;
  rowCount = 0;
  readonly #table: RowTable;
  #isListing = false;

  constructor(table: RowTable, spec: KindSpec, resource: string, number: number) {
    this.#table = table;
    this.spec = spec;
    this.resource = resource;
    this.number = number;
  }

  upsert(row: Row): boolean {
    return this.#table.upsertOf(this, row);
  }

  delete(key: Key, uid: string): boolean {
    return this.#table.deleteOf(this, key, uid);
  }

  beginList(): void {
    this.#isListing = true;
    this.#table.forgetSeen(this);
  }

  endList(keepsUnseen = false): number {
    assert(this.#isListing, "a list ends after it began");
    this.#isListing = false;
    const removedCount = keepsUnseen ? 0 : this.#table.removeUnseen(this);
    if (!this.isComplete) {
      this.isComplete = true;
      this.#table.complete(this);
    }
    return removedCount;
  }

  doubtLists(): void {
    this.isComplete = false;
    this.#isListing = false;
  }
}
