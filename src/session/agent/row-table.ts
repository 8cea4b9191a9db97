// SPDX-License-Identifier: Apache-2.0
// The agent's copy of its cluster: for each key the newest row and the row that was sent (SE14). Rows are bytes in an
// arena, most of them packed: 50,000 objects take about 8 MiB. They are decoded one by one when they are sent.
import { assert } from "../../base/assert.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import { isCanonicalResourceId, resourceIdText } from "../../model/gvr.ts";
import { bucketHashOfKey, sessionBucketCount } from "../../model/rows/bucket.ts";
import { ByteWriter } from "../../model/rows/byte-writer.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import { RecordReader } from "../../model/rows/record-reader.ts";
import { type Row, type RowContent, type RowHash, toRowHash } from "../../model/rows/row.ts";
import { RowBytesReader } from "../../model/rows/row-bytes.ts";
import { RowSealer } from "../../model/rows/row-sealer.ts";
import { ByteArena, type BytePacker } from "./byte-arena.ts";
import { KindEntry, type KindStorage, type RowKey } from "./kind-entry.ts";
import type { KindRows, KindSpec } from "./kind-rows.ts";
import { type RowRecord, RowRecords } from "./row-records.ts";
import { RowSlots, slotFlags } from "./row-slots.ts";
import { SlotUids } from "./slot-uids.ts";

const { row: hasRow, sent: hasSent, seen: isSeen } = slotFlags;

/** The hub's row of a key, by what was sent. */
export interface SentRow {
  readonly hash: RowHash;
  readonly uid: string;
}

/** Receives changes that may have to be sent. Must not change the table. */
export interface RowListener {
  /** A row of a complete kind was added, changed or removed. */
  rowChanged(kind: KindRows, slot: number): void;
  /** A kind became complete; its rows count as sent from now on (SE25). */
  kindCompleted(kind: KindRows): void;
}

export interface RowTableOptions {
  /** The cluster of the rows: part of each row's hash (CO41). */
  readonly clusterId: ClusterId;
  readonly hasher: Hasher;
  readonly packer: BytePacker;
}

/**
 * The rows of one cluster. A key has a slot while the cluster has the object, the hub holds its row, or a flush refers
 * to it.
 */
export class RowTable implements KindStorage {
  readonly #slots = new RowSlots();
  readonly #uids = new SlotUids();
  /** The record of each slot. */
  readonly #arena: ByteArena;
  /** For keys of removed rows. */
  readonly #writer = new ByteWriter();
  readonly #reader = new RecordReader();
  readonly #options: RowTableOptions;
  readonly #kinds: KindEntry[] = [];
  readonly #byResource = new Map<string, KindEntry>();
  /** The sent uid where it differs from the row's: removed objects, and names that belong to another object now. */
  readonly #sentUids = new Map<number, string>();
  #listener: RowListener | undefined;

  constructor(options: RowTableOptions) {
    this.#options = options;
    this.#arena = new ByteArena(options.packer);
  }

  /** Bytes of the arena and the arrays, without the maps of kinds and tombstones. */
  get heldBytes(): number {
    return this.#arena.heldBytes + this.#slots.heldBytes + this.#uids.heldBytes;
  }

  /** All kinds opened, in that order. */
  get kinds(): readonly KindRows[] {
    return this.#kinds;
  }

  /** Sets the listener. There is only one. */
  listen(listener: RowListener): void {
    this.#listener = listener;
  }

  /** The kind; opened at the first call. A later spec replaces the earlier one. */
  openKind(spec: KindSpec): KindRows {
    assert(isCanonicalResourceId(spec.resource), "a kind's resource is canonical");
    const resource = resourceIdText(spec.resource);
    const known = this.#byResource.get(resource);
    if (known !== undefined) {
      known.spec = spec;
      return known;
    }
    assert(this.#kinds.length < 65_536, "the number of a kind has 16 bits");
    const sealer = new RowSealer(this.#options.clusterId, spec.resource, this.#options.hasher);
    const kind = new KindEntry(this, spec, sealer, this.#kinds.length);
    this.#kinds.push(kind);
    this.#byResource.set(resource, kind);
    return kind;
  }

  /** The kind of that resource; undefined if it was never opened. */
  getKind(resource: string): KindRows | undefined {
    return this.#byResource.get(resource);
  }

  /** Slots of the kind with a row or a sent row, in no order. */
  *slotsOf(kind: KindRows): Generator<number, void, undefined> {
    const { flags, kinds } = this.#slots;
    for (let slot = 0; slot < this.#slots.end; slot += 1)
      if (((flags[slot] ?? 0) & (hasRow | hasSent)) !== 0 && kinds[slot] === kind.number) yield slot;
  }

  /** Calls back with each row that counts as sent: its kind's number, its bucket and its hash. */
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

  /** The newest row as stored; undefined if the cluster has no object with that key. */
  record(slot: number): RowRecord | undefined {
    if (!this.#has(slot, hasRow)) return undefined;
    return { record: this.#arena.view(slot), uid: this.#uids.get(slot), rowHash: this.#hash(slot) };
  }

  /** An empty collection for rows that are copied out. */
  createRecords(): RowRecords {
    return new RowRecords(this.#reader);
  }

  /** The newest row, decoded; undefined if the cluster has no object with that key. */
  row(slot: number): Row | undefined {
    const found = this.record(slot);
    if (found === undefined) return undefined;
    const identity = { ...this.#readKey(found.record), uid: found.uid, rowHash: found.rowHash };
    return new RowBytesReader(this.#reader, found.record).read(this.#reader.at, identity);
  }

  key(slot: number): RowKey {
    return this.#readKey(this.#arena.view(slot));
  }

  /** Bytes of the slot's record: an upper estimate of its wire bytes before compression. */
  recordBytes(slot: number): number {
    return this.#slots.sizes[slot] ?? 0;
  }

  /** The slots in the cheapest reading order; use it to read many. */
  inReadingOrder(slots: Iterable<number>): readonly number[] {
    return this.#arena.inOrder(slots);
  }

  sent(slot: number): SentRow | undefined {
    if (!this.#has(slot, hasSent)) return undefined;
    const uid = this.#sentUids.get(slot) ?? this.#uids.get(slot);
    return { hash: toRowHash(this.#slots.sentHashes[slot] ?? 0n), uid };
  }

  /** Whether the cluster's row differs from the sent one. */
  isChanged(slot: number): boolean {
    if (this.#has(slot, hasRow) !== this.#has(slot, hasSent)) return true;
    return this.#has(slot, hasRow) && this.#hash(slot) !== this.#slots.sentHashes[slot];
  }

  /** Sets the row that counts as sent. */
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

  /** Marks the kind's present rows, and nothing else, as sent (SE25). */
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

  /** A flush refers to the slot, which is kept until `unpin`. At most 255 pins at once. */
  pin(slot: number): void {
    assert((this.#slots.pins[slot] ?? 0) < 255, "pins have 8 bits");
    this.#slots.pins[slot] = (this.#slots.pins[slot] ?? 0) + 1;
  }

  unpin(slot: number): void {
    assert((this.#slots.pins[slot] ?? 0) > 0, "a slot is unpinned as often as it was pinned");
    this.#slots.pins[slot] = (this.#slots.pins[slot] ?? 0) - 1;
    this.#freeIfEmpty(slot);
  }

  // The storage of `KindEntry`.

  upsertOf(kind: KindEntry, content: RowContent): boolean {
    const { rowHash, key, record } = kind.sealer.write(content);
    const keyHash = bucketHashOfKey(key);
    const known = this.#find(kind.number, keyHash, key);
    if (known !== undefined && this.#has(known, hasRow) && this.#hash(known) === rowHash) {
      this.#slots.flags[known] = (this.#slots.flags[known] ?? 0) | isSeen;
      return false;
    }
    const sent = known === undefined ? undefined : this.sent(known);
    const slot = known ?? this.#slots.take(kind.number, keyHash);
    if (!this.#has(slot, hasRow)) kind.rowCount += 1;
    this.#store(slot, record);
    this.#uids.set(slot, content.uid);
    this.#slots.hashes[slot] = rowHash;
    this.#slots.flags[slot] = (this.#slots.flags[slot] ?? 0) | hasRow | isSeen;
    if (sent !== undefined) this.setSent(slot, sent);
    if (kind.isComplete) this.#listener?.rowChanged(kind, slot);
    return true;
  }

  deleteOf(kind: KindEntry, key: RowKey, uid: string): boolean {
    const slot = this.#findKey(kind, key);
    if (slot === undefined || !this.#has(slot, hasRow)) return false;
    if (uid !== "" && this.#uids.get(slot) !== uid) return false;
    this.#remove(kind, slot);
    return true;
  }

  rowOf(kind: KindEntry, key: RowKey): Row | undefined {
    const slot = this.#findKey(kind, key);
    return slot === undefined ? undefined : this.row(slot);
  }

  forgetSeen(kind: KindEntry): void {
    const { flags } = this.#slots;
    for (const slot of this.slotsOf(kind)) flags[slot] = (flags[slot] ?? 0) & ~isSeen;
  }

  removeUnseen(kind: KindEntry): number {
    let removedCount = 0;
    for (const slot of this.slotsOf(kind)) {
      if (!this.#has(slot, hasRow) || this.#has(slot, isSeen)) continue;
      this.#remove(kind, slot);
      removedCount += 1;
    }
    return removedCount;
  }

  complete(kind: KindEntry): void {
    this.claim(kind);
    this.#listener?.kindCompleted(kind);
  }

  #remove(kind: KindEntry, slot: number): void {
    const sent = this.sent(slot);
    this.#store(slot, this.#writeKey(this.key(slot)));
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

  /** The key at the start of a record. Leaves the reader behind it. */
  #readKey(record: Uint8Array): RowKey {
    this.#reader.open(record);
    return { namespace: this.#reader.text(), name: this.#reader.text() };
  }

  /** The bytes of a key in record form, valid until the next call. */
  #writeKey(key: RowKey): Uint8Array {
    const writer = this.#writer;
    writer.reset();
    writer.text(key.namespace);
    writer.text(key.name);
    return writer.view();
  }

  #findKey(kind: KindEntry, key: RowKey): number | undefined {
    const bytes = this.#writeKey(key);
    return this.#find(kind.number, bucketHashOfKey(bytes), bytes);
  }

  #find(kindNumber: number, keyHash: number, key: Uint8Array): number | undefined {
    return this.#slots.find(kindNumber, keyHash, (slot) => {
      const bytes = this.#arena.view(slot);
      for (let at = 0; at < key.length; at += 1) if (bytes[at] !== key[at]) return false;
      return true;
    });
  }

  #store(slot: number, record: Uint8Array): void {
    this.#arena.set(slot, record);
    this.#slots.sizes[slot] = record.length;
  }

  #freeIfEmpty(slot: number): void {
    if (this.#has(slot, hasRow | hasSent) || this.#slots.pins[slot] !== 0) return;
    this.#arena.drop(slot);
    this.#slots.free(slot);
  }
}
