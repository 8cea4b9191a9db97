// SPDX-License-Identifier: Apache-2.0

/** The most bytes of one number below 2^32. */
const maxNumberBytes = 5;

/** Unused bytes that are tolerated: below this, moving the rest is not worth it. */
const minUnusedBytes = 4_096;

/**
 * A list of whole numbers below 2^32 for each of many places, in one array: small numbers take one byte. A view keeps
 * counts of thousands of tables, and an array of its own for each would take more memory than the counts.
 */
export class PackedParts {
  #bytes = new Uint8Array(256);
  #used = 0;
  #unused = 0;
  #starts = new Uint32Array(0);
  /** 0 for a place without a list. */
  #lengths = new Uint32Array(0);

  get sizeBytes(): number {
    return this.#bytes.byteLength + this.#starts.byteLength * 2;
  }

  /** Makes room for this many places. */
  reserve(placeCount: number): void {
    if (placeCount <= this.#starts.length) return;
    const [starts, lengths] = [new Uint32Array(placeCount), new Uint32Array(placeCount)];
    starts.set(this.#starts);
    lengths.set(this.#lengths);
    this.#starts = starts;
    this.#lengths = lengths;
  }

  /** The list of a place, which has none afterwards; empty if it had none. */
  take(place: number): readonly number[] {
    const length = this.#lengths[place] ?? 0;
    if (length === 0) return [];
    const numbers = this.#read(this.#starts[place] ?? 0, length);
    this.#lengths[place] = 0;
    this.#unused += length;
    return numbers;
  }

  /** Sets the list of a place that has none. */
  set(place: number, numbers: readonly number[]): void {
    this.#makeRoom(numbers.length * maxNumberBytes);
    const start = this.#used;
    const bytes = this.#bytes;
    let at = start;
    for (const number of numbers) {
      let rest = number;
      for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
        bytes[at] = (rest % 0x80) | 0x80;
        at += 1;
      }
      bytes[at] = rest;
      at += 1;
    }
    this.#starts[place] = start;
    this.#lengths[place] = at - start;
    this.#used = at;
  }

  #read(start: number, length: number): readonly number[] {
    const bytes = this.#bytes;
    const numbers: number[] = [];
    let [number, scale] = [0, 1];
    for (let at = start; at < start + length; at += 1) {
      const byte = bytes[at] ?? 0;
      number += (byte & 0x7f) * scale;
      scale *= 0x80;
      if (byte >= 0x80) continue;
      numbers.push(number);
      [number, scale] = [0, 1];
    }
    return numbers;
  }

  #makeRoom(byteCount: number): void {
    if (this.#used + byteCount <= this.#bytes.length) return;
    const keptBytes = this.#used - this.#unused;
    const needed = keptBytes + byteCount;
    const isWasteful = this.#unused >= Math.max(minUnusedBytes, keptBytes / 2);
    const room = isWasteful && needed <= this.#bytes.length ? this.#bytes.length : Math.ceil(needed * 1.25);
    this.#move(new Uint8Array(room));
  }

  #move(bytes: Uint8Array<ArrayBuffer>): void {
    let used = 0;
    for (let place = 0; place < this.#lengths.length; place += 1) {
      const length = this.#lengths[place] ?? 0;
      if (length === 0) continue;
      const start = this.#starts[place] ?? 0;
      bytes.set(this.#bytes.subarray(start, start + length), used);
      this.#starts[place] = used;
      used += length;
    }
    this.#bytes = bytes;
    this.#used = used;
    this.#unused = 0;
  }
}
