// SPDX-License-Identifier: Apache-2.0

type ColumnArray =
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | BigUint64Array<ArrayBuffer>;

interface ColumnArrayConstructor<Values> {
  new (length: number): Values;
  readonly BYTES_PER_ELEMENT: number;
}

/** One value, or `width` values, per row of a table. Rows are dense: the table moves its last row into a gap. */
export class TableColumn<Values extends ColumnArray> {
  /** Elements from the table's row count on are meaningless. Replaced when the table grows. */
  values: Values;
  readonly #Values: ColumnArrayConstructor<Values>;
  readonly #width: number;

  constructor(Values: ColumnArrayConstructor<Values>, capacity: number, width = 1) {
    this.#Values = Values;
    this.#width = width;
    this.values = new Values(capacity * width);
  }

  get sizeBytes(): number {
    return this.values.byteLength;
  }

  /** Makes room for `capacity` rows and keeps the first `count`. */
  resize(capacity: number, count: number): void {
    const resized = new this.#Values(capacity * this.#width);
    // The union of typed arrays has no common signature of `set`; both sides are of the same type.
    (resized as Uint8Array).set((this.values as Uint8Array).subarray(0, count * this.#width));
    this.values = resized;
  }

  /** Copies the values of one row over those of another. */
  move(from: number, to: number): void {
    const width = this.#width;
    if (width === 1) this.values[to] = this.values[from] as Values[number];
    else this.values.copyWithin(to * width, from * width, (from + 1) * width);
  }
}
