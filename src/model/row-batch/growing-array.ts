// SPDX-License-Identifier: Apache-2.0

type NumberArray = Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** A typed array that grows at its end. Doubling keeps the cost of appending linear. */
export class GrowingArray<Elements extends NumberArray> {
  readonly #create: (capacity: number) => Elements;
  #elements: Elements;
  #length = 0;

  constructor(create: (capacity: number) => Elements) {
    this.#create = create;
    this.#elements = create(64);
  }

  get length(): number {
    return this.#length;
  }

  /** The allocated memory, used or not. */
  get capacityBytes(): number {
    return this.#elements.byteLength;
  }

  /** The memory itself, borrowed until the next `extend`. Elements from `length` on are meaningless. */
  get elements(): Elements {
    return this.#elements;
  }

  /** Adds `count` elements of value 0 and returns the index of the first. */
  extend(count: number): number {
    const from = this.#length;
    const needed = from + count;
    if (needed > this.#elements.length) {
      const larger = this.#create(Math.max(needed, this.#elements.length * 2));
      larger.set(this.#elements.subarray(0, from));
      this.#elements = larger;
    }
    this.#length = needed;
    return from;
  }

  /** Appends these values. */
  append(values: ArrayLike<number>): void {
    const from = this.extend(values.length);
    this.#elements.set(values, from);
  }

  /** Appends one value `count` times. */
  fill(value: number, count: number): void {
    const from = this.extend(count);
    this.#elements.fill(value, from, from + count);
  }
}

/** A growing array of bytes. */
export function growingBytes(): GrowingArray<Uint8Array<ArrayBuffer>> {
  return new GrowingArray((capacity) => new Uint8Array(capacity));
}

/** A growing array of ids. */
export function growingIds(): GrowingArray<Uint32Array<ArrayBuffer>> {
  return new GrowingArray((capacity) => new Uint32Array(capacity));
}

/** A growing array of numbers. */
export function growingNumbers(): GrowingArray<Float64Array<ArrayBuffer>> {
  return new GrowingArray((capacity) => new Float64Array(capacity));
}
