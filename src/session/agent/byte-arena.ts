// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import type { BytePacker } from "./byte-packer.ts";

/** Bytes of a page, some 250 rows: to unpack one takes 0.1 ms, and of larger ones little less memory is left. */
const pageBytes = 65_536;

/** Largest record: twice the largest row (CO24). One that is larger than a page has one of its own. */
export const maxRecordBytes = 2 * pageBytes - 8;

/** Owner and length, 32 bits each, before every record. */
const headBytes = 8;

/** Full pages that are held unpacked, besides the one that is being filled: those read last, 512 KiB. */
const unpackedCount = 8;

/** Owners for which there is room at first. */
const firstCapacity = 1_024;

/** In place of a position: the owner has no record. */
const nowhere = 0xffff_ffff;

interface PageBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

interface Page {
  unpacked: PageBytes | undefined;
  /** Of a page that is full; undefined while it is being filled. */
  packed: Uint8Array | undefined;
  usedBytes: number;
  liveBytes: number;
}

function viewOf(bytes: Uint8Array): PageBytes {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

/**
 * One record of bytes for each owner, a number from 0; in pages, of which all are packed but the one that is being filled and those that were
 * read last. A page of which less than half lives is emptied into the one that is being filled: what is held is at most about twice what lives.
 */
export class ByteArena {
  readonly #packer: BytePacker;
  readonly #pages: (Page | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  /** Full pages that are unpacked, the one read last at the end. */
  readonly #unpacked: Page[] = [];
  #positions = new Uint32Array(firstCapacity).fill(nowhere);
  /** The page that is being filled; -1 before the first record. */
  #filled = -1;

  constructor(packer: BytePacker) {
    this.#packer = packer;
  }

  /** Bytes of pages, in both forms, and of what finds records in them. */
  get heldBytes(): number {
    return this.#pages.reduce(
      (sum, page) => sum + (page?.unpacked?.bytes.length ?? 0) + (page?.packed?.length ?? 0),
      this.#positions.byteLength,
    );
  }

  /** Copies the bytes in as the owner's record, in place of the one it has. */
  set(owner: number, bytes: Uint8Array): void {
    assert(bytes.length <= maxRecordBytes, "a record is at most as large as the table lets one be");
    if (this.#positionOf(owner) !== nowhere) this.drop(owner);
    this.#append(owner, bytes);
  }

  /** The owner's record, lent until the next call. */
  view(owner: number): Uint8Array {
    const position = this.#positionOf(owner);
    const { bytes, view } = this.#read(this.#pageAt(position));
    const from = (position % pageBytes) + headBytes;
    return bytes.subarray(from, from + view.getUint32(from - 4, true));
  }

  /** Lets the owner's record go; others may move because of it. */
  drop(owner: number): void {
    const position = this.#positionOf(owner);
    const page = this.#pageAt(position);
    page.liveBytes -= headBytes + this.#read(page).view.getUint32((position % pageBytes) + 4, true);
    this.#positions[owner] = nowhere;
    this.#empty(Math.floor(position / pageBytes));
  }

  /** The owners in the order in which their records lie: read so, each page is unpacked once. */
  inOrder(owners: Iterable<number>): readonly number[] {
    return [...owners].sort((one, other) => this.#positionOf(one) - this.#positionOf(other));
  }

  #positionOf(owner: number): number {
    return this.#positions[owner] ?? nowhere;
  }

  #pageAt(position: number): Page {
    const page = this.#pages[Math.floor(position / pageBytes)];
    assert(page !== undefined, "the owner has a record");
    return page;
  }

  #append(owner: number, bytes: Uint8Array): void {
    const size = headBytes + bytes.length;
    const before = this.#filled;
    const page = this.#roomFor(size);
    const at = page.usedBytes;
    const { bytes: target, view } = this.#read(page);
    view.setUint32(at, owner, true);
    view.setUint32(at + 4, bytes.length, true);
    target.set(bytes, at + headBytes);
    page.usedBytes += size;
    page.liveBytes += size;
    this.#place(owner, this.#filled * pageBytes + at);
    if (this.#filled !== before) this.#retire(before);
  }

  /** The page that is being filled, or a new one in its place where so much does not fit. */
  #roomFor(size: number): Page {
    const page = this.#pages[this.#filled];
    if (page?.unpacked !== undefined && page.usedBytes + size <= page.unpacked.bytes.length) return page;
    this.#filled = this.#freeNumbers.pop() ?? this.#pages.length;
    assert(this.#filled < 2 ** 32 / pageBytes, "positions have 32 bits");
    const unpacked = viewOf(new Uint8Array(Math.max(pageBytes, size)));
    const opened = { unpacked, packed: undefined, usedBytes: 0, liveBytes: 0 };
    this.#pages[this.#filled] = opened;
    return opened;
  }

  #place(owner: number, position: number): void {
    if (owner >= this.#positions.length) {
      const larger = new Uint32Array(Math.max(this.#positions.length * 2, owner + 1)).fill(nowhere);
      larger.set(this.#positions);
      this.#positions = larger;
    }
    this.#positions[owner] = position;
  }

  /** A page is full: it is packed, unless it is mostly dead already. */
  #retire(number: number): void {
    this.#empty(number);
    const page = this.#pages[number];
    if (page?.unpacked === undefined) return;
    page.packed = this.#packer.pack(page.unpacked.bytes.subarray(0, page.usedBytes));
    this.#read(page);
  }

  /** The bytes of a page. A full one is unpacked for it, and the one that was not read for longest is so no more. */
  #read(page: Page): PageBytes {
    const { packed, unpacked } = page;
    if (unpacked !== undefined && (packed === undefined || this.#unpacked.at(-1) === page)) return unpacked;
    assert(packed !== undefined, "a page that is not packed yet is unpacked");
    const read = unpacked ?? viewOf(this.#packer.unpack(packed, page.usedBytes));
    page.unpacked = read;
    this.#forget(page);
    this.#unpacked.push(page);
    const oldest = this.#unpacked.length > unpackedCount ? this.#unpacked.shift() : undefined;
    if (oldest !== undefined) oldest.unpacked = undefined;
    return read;
  }

  #forget(page: Page): void {
    const at = this.#unpacked.indexOf(page);
    if (at >= 0) this.#unpacked.splice(at, 1);
  }

  /** Moves what lives out of a page that is mostly dead, unless it is being filled. */
  #empty(number: number): void {
    const page = this.#pages[number];
    if (page === undefined || number === this.#filled || page.liveBytes * 2 >= page.usedBytes) return;
    const { bytes, view } = this.#read(page);
    // Out of the lists first: records that move may fill a page, which must not come back to this one.
    this.#forget(page);
    this.#pages[number] = undefined;
    for (let at = 0; at < page.usedBytes; ) {
      const owner = view.getUint32(at, true);
      const position = number * pageBytes + at;
      const from = at + headBytes;
      at = from + view.getUint32(at + 4, true);
      // A record that was replaced or dropped is still here; its owner is not.
      if (this.#positionOf(owner) === position) this.#append(owner, bytes.subarray(from, at));
    }
    this.#freeNumbers.push(number);
  }
}
