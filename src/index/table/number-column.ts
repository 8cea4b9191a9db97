// SPDX-License-Identifier: Apache-2.0
import { allocateIds } from "./id-column.ts";
import { type ColumnArray, TableColumn } from "./table-column.ts";

/** The greatest value of the integer forms: one more has to fit 32 bits. */
const maxStored = 0xffff_fffe;

/** Times of Kubernetes are whole seconds, in milliseconds. */
const secondMs = 1_000;

/** How numbers are stored: as `value / unit + 1` in one, two or four bytes with 0 for absent, or as they are. */
type NumberForm = { readonly kind: "integer"; readonly unit: number } | { readonly kind: "float" };

const plain: NumberForm = { kind: "integer", unit: 1 };
const seconds: NumberForm = { kind: "integer", unit: secondMs };
const float: NumberForm = { kind: "float" };

/**
 * One number per row, or none, in the narrowest exact form: small integers and whole seconds in one to four bytes,
 * everything else as 64-bit floats. The form changes when a number needs it.
 */
export class NumberColumn extends TableColumn<ColumnArray> {
  /** The number of rows that have a number. */
  presentCount = 0;
  #form: NumberForm = plain;
  /** No element of an integer form is greater. */
  #greatest = 0;

  constructor(capacity: number) {
    super(new Uint8Array(capacity));
  }

  override share(): NumberColumn {
    const shared = new NumberColumn(0);
    this.shareWith(shared);
    shared.presentCount = this.presentCount;
    shared.#form = this.#form;
    shared.#greatest = this.#greatest;
    return shared;
  }

  override mostBytes(): number {
    return Float64Array.BYTES_PER_ELEMENT;
  }

  /** An element of `values` is `number / unit + 1`, and 0 for absent. Undefined: it is the number, and NaN for absent. */
  get unit(): number | undefined {
    return this.#form.kind === "integer" ? this.#form.unit : undefined;
  }

  /** Whether all elements of `values` are whole numbers below 2^31: seconds are, until 2038. */
  get hasSmallWords(): boolean {
    return this.#form.kind === "integer" && this.#greatest < 2 ** 31;
  }

  /** NaN if the row has none. */
  get(row: number): number {
    const stored = this.values[row] ?? 0;
    if (this.#form.kind === "float") return stored;
    return stored === 0 ? Number.NaN : (stored - 1) * this.#form.unit;
  }

  /** Sets the numbers of the first `count` of `rows`, NaN for none. Rows from `firstNew` on are new. */
  write(rows: Uint32Array, numbers: Float64Array, count: number, firstNew: number): void {
    if (this.isShared && !this.#differs(rows, numbers, count, firstNew)) return;
    this.own();
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0;
      if (row < firstNew && this.#isPresent(row)) this.presentCount -= 1;
    }
    this.#reform(numbers, count);
    const form = this.#form;
    const { values } = this;
    let presentCount = 0;
    for (let at = 0; at < count; at += 1) {
      const number = numbers[at] ?? Number.NaN;
      const isAbsent = Number.isNaN(number);
      if (form.kind === "float") values[rows[at] ?? 0] = number;
      else values[rows[at] ?? 0] = isAbsent ? 0 : number / form.unit + 1;
      if (!isAbsent) presentCount += 1;
    }
    this.presentCount += presentCount;
  }

  override release(row: number): void {
    if (this.#isPresent(row)) this.presentCount -= 1;
  }

  #isPresent(row: number): boolean {
    return this.#form.kind === "float" ? !Number.isNaN(this.values[row] ?? Number.NaN) : this.values[row] !== 0;
  }

  #differs(rows: Uint32Array, numbers: Float64Array, count: number, firstNew: number): boolean {
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0;
      if (row >= firstNew || !Object.is(this.get(row), numbers[at])) return true;
    }
    return false;
  }

  /** Changes form and width so that these numbers fit. A column without numbers takes the form that they need. */
  #reform(numbers: Float64Array, count: number): void {
    const { most, isPlain, isSeconds } = measure(numbers, count);
    if (this.presentCount === 0) this.#restart(isPlain ? plain : isSeconds ? seconds : float);
    if (this.#form.kind === "float") return;
    if (this.#form.unit === secondMs ? isSeconds : isPlain) this.#widen(most / this.#form.unit + 1);
    else this.#toFloat();
  }

  /** Takes another form. All rows stay without a number. */
  #restart(form: NumberForm): void {
    if (this.#form === form) return;
    this.#form = form;
    this.#greatest = 0;
    const { length } = this.values;
    this.replace(form.kind === "float" ? new Float64Array(length).fill(Number.NaN) : new Uint8Array(length));
  }

  #widen(stored: number): void {
    const { values } = this;
    this.#greatest = Math.max(this.#greatest, stored);
    if (values.BYTES_PER_ELEMENT === 4 || stored <= (values.BYTES_PER_ELEMENT === 1 ? 0xff : 0xffff)) return;
    const wider = allocateIds(values.length, stored);
    wider.set(values);
    this.replace(wider);
  }

  #toFloat(): void {
    const floats = new Float64Array(this.values.length);
    for (let row = 0; row < floats.length; row += 1) floats[row] = this.get(row);
    this.#form = float;
    this.replace(floats);
  }
}

/** Whether numbers fit the integer forms, and the greatest of them. */
function measure(
  numbers: Float64Array,
  count: number,
): { readonly most: number; readonly isPlain: boolean; readonly isSeconds: boolean } {
  let [most, isPlain, isSeconds] = [0, true, true];
  for (let at = 0; at < count; at += 1) {
    const number = numbers[at] ?? Number.NaN;
    if (Number.isNaN(number)) continue;
    if (number > most) most = number;
    if (number < 0 || !Number.isInteger(number) || Object.is(number, -0))
      return { most, isPlain: false, isSeconds: false };
    if (number > maxStored) isPlain = false;
    const second = number / secondMs;
    // Exact: up to that many seconds, no other number gives a whole quotient.
    if (second > maxStored || Math.floor(second) !== second) isSeconds = false;
  }
  return { most, isPlain, isSeconds };
}
