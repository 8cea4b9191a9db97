// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";

/** Bytes of a page. The largest row has a quarter of it (CO24), so little is left over at its end; freeing one moves at most half of it. */
const pageBytes = 262_144;

/** Largest record: what is moved out of one page, less than half of it, leaves room for one more in another. */
export const maxRecordBytes = pageBytes / 2 - 8;

/** Owner and length, 32 bits each, before every record. */
const headBytes = 8;

/** Empty pages kept for the next records instead of being given back. */
const spareCount = 2;

interface Page {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  usedBytes: number;
  liveBytes: number;
}

/** Told where a record of this owner has gone. */
export type RecordMoved = (owner: number, position: number) => void;

function createPage(): Page {
  const bytes = new Uint8Array(pageBytes);
  return { bytes, view: new DataView(bytes.buffer), usedBytes: 0, liveBytes: 0 };
}

/**
 * Records of bytes in pages, each with the number of its owner. A page of which less than half lives is emptied into the page
 * that is being filled, and used again: what is held is at most about twice what lives.
 */
export class ByteArena {
  readonly #pages: (Page | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  readonly #spares: Page[] = [];
  readonly #onMoved: RecordMoved;
  /** The page that is being filled; -1 before the first record. */
  #filled = -1;

  constructor(onMoved: RecordMoved) {
    this.#onMoved = onMoved;
  }

  /** Bytes of all pages held, spares included. */
  get heldBytes(): number {
    return (this.#pages.length - this.#freeNumbers.length + this.#spares.length) * pageBytes;
  }

  /** Copies the bytes in and answers their position. */
  add(owner: number, bytes: Uint8Array): number {
    const size = headBytes + bytes.length;
    assert(bytes.length <= maxRecordBytes, "a record fits beside half a page of others");
    let page = this.#pages[this.#filled];
    if (page === undefined || page.usedBytes + size > pageBytes) {
      const full = this.#filled;
      page = this.#openPage();
      this.#empty(full);
    }
    const at = page.usedBytes;
    page.view.setUint32(at, owner, true);
    page.view.setUint32(at + 4, bytes.length, true);
    page.bytes.set(bytes, at + headBytes);
    page.usedBytes += size;
    page.liveBytes += size;
    return this.#filled * pageBytes + at;
  }

  /** The bytes at a position, lent until the next `add` or `drop`. */
  view(position: number): Uint8Array {
    const page = this.#pageAt(position);
    const at = position % pageBytes;
    return page.bytes.subarray(at + headBytes, at + headBytes + page.view.getUint32(at + 4, true));
  }

  /** Lets the record go; others may move because of it. */
  drop(position: number): void {
    const page = this.#pageAt(position);
    const at = position % pageBytes;
    page.view.setUint32(at, noOwner, true);
    page.liveBytes -= headBytes + page.view.getUint32(at + 4, true);
    this.#empty(Math.floor(position / pageBytes));
  }

  #pageAt(position: number): Page {
    const page = this.#pages[Math.floor(position / pageBytes)];
    assert(page !== undefined, "the position is of a record");
    return page;
  }

  #openPage(): Page {
    const page = this.#spares.pop() ?? createPage();
    this.#filled = this.#freeNumbers.pop() ?? this.#pages.length;
    assert(this.#filled < 2 ** 32 / pageBytes, "positions have 32 bits");
    this.#pages[this.#filled] = page;
    return page;
  }

  /** Moves what lives out of a page that is mostly dead, unless it is being filled. */
  #empty(number: number): void {
    const page = this.#pages[number];
    if (page === undefined || number === this.#filled || page.liveBytes * 2 >= pageBytes) return;
    // Out of the list first: records that move may fill a page, which must not come back to this one.
    this.#pages[number] = undefined;
    for (let at = 0; at < page.usedBytes; ) {
      const owner = page.view.getUint32(at, true);
      const from = at + headBytes;
      at = from + page.view.getUint32(at + 4, true);
      if (owner !== noOwner) this.#onMoved(owner, this.add(owner, page.bytes.subarray(from, at)));
    }
    this.#freeNumbers.push(number);
    page.usedBytes = 0;
    page.liveBytes = 0;
    if (this.#spares.length < spareCount) this.#spares.push(page);
  }
}

/** In place of the owner of a record that was dropped. */
const noOwner = 0xffff_ffff;
