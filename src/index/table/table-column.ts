// SPDX-License-Identifier: Apache-2.0

/** The arrays that hold the values of columns. A loop over them sees at most these four types. */
export type ColumnArray =
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** Bytes copied in one step: about a millisecond, with the page faults of fresh memory. */
const stepBytes = 2 * 1024 * 1024;

/** Copies the beginning of an array into another one of the same type. */
function copyRange(from: ColumnArray, to: ColumnArray, start: number, end: number): void {
  // The union of typed arrays has no common signature of `set`; both sides are of the same type.
  (to as Uint8Array).set((from as Uint8Array).subarray(start, end), start);
}

/** An array of the same type. */
function allocateLike<Values extends ColumnArray>(values: Values, length: number): Values {
  const Same = values.constructor as new (length: number) => Values;
  return new Same(length);
}

/**
 * One value, or `width` values, per row of a table. Rows are dense: the table moves its last row into a gap. A column
 * can share its array with a copy of the table; the array is copied before its next change, so neither side sees a
 * change of the other.
 */
export class TableColumn<Values extends ColumnArray> {
  /** Elements from the table's row count on are meaningless. Replaced when the column grows, widens or is copied. */
  values: Values;
  readonly width: number;
  protected isShared = false;

  /** `values` has room for `values.length / width` rows. */
  constructor(values: Values, width = 1) {
    this.values = values;
    this.width = width;
  }

  get sizeBytes(): number {
    return this.values.byteLength;
  }

  /** The bytes that the next change copies. */
  get sharedBytes(): number {
    return this.isShared ? this.values.byteLength : 0;
  }

  /** The bytes of a row. */
  get rowBytes(): number {
    return this.values.BYTES_PER_ELEMENT * this.width;
  }

  /** The bytes of a row if the values become as wide as they can, with ids of `idBytes`. */
  mostBytes(_idBytes: number): number {
    return this.rowBytes;
  }

  /** Lets another column use the array of this one. */
  protected shareWith(other: TableColumn<Values>): void {
    other.values = this.values;
    other.isShared = true;
    this.isShared = true;
  }

  share(): TableColumn<Values> {
    const shared = new TableColumn(this.values, this.width);
    this.shareWith(shared);
    return shared;
  }

  /** Makes the array this column's own. Required before any write to `values`. */
  own(): void {
    if (!this.isShared) return;
    const copy = allocateLike(this.values, this.values.length);
    copyRange(this.values, copy, 0, this.values.length);
    this.replace(copy);
  }

  /** As `own`, with room for `capacity` rows. Yields the bytes copied so far in each step. */
  *ownInSteps(capacity: number): Generator<number, void, undefined> {
    const length = Math.max(this.values.length, capacity * this.width);
    if (!this.isShared && length === this.values.length) return;
    const copy = allocateLike(this.values, length);
    const perStep = stepBytes / this.values.BYTES_PER_ELEMENT;
    for (let from = 0; from < this.values.length; from += perStep) {
      const end = Math.min(this.values.length, from + perStep);
      copyRange(this.values, copy, from, end);
      yield (end - from) * this.values.BYTES_PER_ELEMENT;
    }
    this.replace(copy);
  }

  /** Sets the room to `capacity` rows and keeps the first `count`. */
  resize(capacity: number, count: number): void {
    const length = capacity * this.width;
    if (length === this.values.length) return;
    const resized = allocateLike(this.values, length);
    copyRange(this.values, resized, 0, count * this.width);
    this.replace(resized);
  }

  /** Copies the values of one row over those of another. */
  move(from: number, to: number): void {
    this.own();
    const { values, width } = this;
    if (width === 1) values[to] = values[from] ?? 0;
    else values.copyWithin(to * width, from * width, (from + 1) * width);
  }

  /** Called for a row that goes. Its elements become meaningless. */
  release(_row: number): void {
    // Subclasses count values.
  }

  /** The number of values that rows lost since the last call. */
  takeReplaced(): number {
    return 0;
  }

  /** Takes a new array that nothing else uses. */
  replace(values: Values): void {
    this.values = values;
    this.isShared = false;
  }
}
