// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";

/**
 * Compresses bytes within this process while they are not read. Neither call keeps its argument. Both are synchronous:
 * a record is found and read in one step.
 */
export interface BytePacker {
  /** Usually smaller. Not part of a larger buffer. */
  pack(bytes: Uint8Array): Uint8Array;
  /** The original `byteCount` bytes. */
  unpack(packed: Uint8Array, byteCount: number): Uint8Array;
}

/** Bytes of a page, some 250 rows. Unpacking one takes 0.1 ms; larger pages would save little more memory. */
const pageBytes = 65_536;

/** Largest record: twice the largest row (CO24). A record larger than a page gets a page of its own. */
export const maxRecordBytes = 2 * pageBytes - 8;

/** Owner and length, 32 bits each, precede every record. */
const headBytes = 8;

/** Full pages that are held unpacked: those read last, 512 KiB. The page being filled is extra. */
const unpackedCount = 8;

/** Initial capacity in owners. */
const firstCapacity = 1_024;

/** Position of an owner without a record. */
const nowhere = 0xffff_ffff;

interface PageBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

interface Page {
  unpacked: PageBytes | undefined;
  /** Set once the page is full; undefined while it is being filled. */
  packed: Uint8Array | undefined;
  usedBytes: number;
  liveBytes: number;
}

function viewOf(bytes: Uint8Array): PageBytes {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

/**
 * One record of bytes per owner, a number from 0. Records lie in pages, all packed except the one being filled and
 * those read last. A page that is less than half live is emptied into the one being filled: the arena holds at most
 * about twice the live bytes.
 */
export class ByteArena {
  readonly #packer: BytePacker;
  readonly #pages: (Page | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  /** Unpacked full pages, the last read at the end. */
  readonly #unpacked: Page[] = [];
  #positions = new Uint32Array(firstCapacity).fill(nowhere);
  /** Number of the page being filled; -1 before the first record. */
  #filled = -1;

  constructor(packer: BytePacker) {
    this.#packer = packer;
  }

  /** Bytes of the pages, in both forms, and of the position table. */
  get heldBytes(): number {
    return this.#pages.reduce(
      (sum, page) => sum + (page?.unpacked?.bytes.length ?? 0) + (page?.packed?.length ?? 0),
      this.#positions.byteLength,
    );
  }

  /** Copies the bytes as the owner's record; replaces an existing one. */
  set(owner: number, bytes: Uint8Array): void {
    assert(bytes.length <= maxRecordBytes, "a record is at most as large as the table lets one be");
    if (this.#positionOf(owner) !== nowhere) this.drop(owner);
    this.#append(owner, bytes);
  }

  /** The owner's record, valid until the next call. */
  view(owner: number): Uint8Array {
    const position = this.#positionOf(owner);
    const { bytes, view } = this.#read(this.#pageAt(position));
    const from = (position % pageBytes) + headBytes;
    return bytes.subarray(from, from + view.getUint32(from - 4, true));
  }

  /** Removes the owner's record. Other records may move. */
  drop(owner: number): void {
    const position = this.#positionOf(owner);
    const page = this.#pageAt(position);
    page.liveBytes -= headBytes + this.#read(page).view.getUint32((position % pageBytes) + 4, true);
    this.#positions[owner] = nowhere;
    this.#empty(Math.floor(position / pageBytes));
  }

  /** The owners in the order of their records: read in this order, each page is unpacked once. */
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

  /** The page being filled, or a new one if `size` does not fit. */
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

  /** The page is full: packs it, unless it is mostly dead already. */
  #retire(number: number): void {
    this.#empty(number);
    const page = this.#pages[number];
    if (page?.unpacked === undefined) return;
    page.packed = this.#packer.pack(page.unpacked.bytes.subarray(0, page.usedBytes));
    this.#read(page);
  }

  /** The bytes of a page. Unpacks a full page and releases the unpacked bytes of the least recently read one. */
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

  /** Moves the live records out of a mostly dead page, unless it is being filled. */
  #empty(number: number): void {
    const page = this.#pages[number];
    if (page === undefined || number === this.#filled || page.liveBytes * 2 >= page.usedBytes) return;
    const { bytes, view } = this.#read(page);
    // Removed first: moved records may fill another page and start another emptying, which must not find this page.
    this.#forget(page);
    this.#pages[number] = undefined;
    for (let at = 0; at < page.usedBytes; ) {
      const owner = view.getUint32(at, true);
      const position = number * pageBytes + at;
      const from = at + headBytes;
      at = from + view.getUint32(at + 4, true);
      // A replaced or dropped record is still in the page, but its owner's position is not.
      if (this.#positionOf(owner) === position) this.#append(owner, bytes.subarray(from, at));
    }
    this.#freeNumbers.push(number);
  }
}
