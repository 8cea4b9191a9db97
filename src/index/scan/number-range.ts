// SPDX-License-Identifier: Apache-2.0
import type { OrderTest } from "../language/query-predicate.ts";
import type { ColumnArray } from "../table/table-column.ts";
import type { RowFilter } from "./keep-rows.ts";
import type { ScannedNumbers } from "./scanned-rows.ts";

/** Numbers from `low` to `high`, both included. */
interface NumberRange {
  readonly low: number;
  readonly high: number;
}

const word = new BigInt64Array(1);
const float = new Float64Array(word.buffer);

/** The next greater number, or the next smaller one. */
function neighbour(number: number, direction: 1n | -1n): number {
  if (number === 0) return direction === 1n ? Number.MIN_VALUE : -Number.MIN_VALUE;
  float[0] = number;
  // The bits of a float count upwards from zero for both signs.
  word[0] = (word[0] ?? 0n) + (number > 0 ? direction : -direction);
  return float[0];
}

/** The numbers that compare so with `wanted`. */
function rangeOf(order: OrderTest, wanted: number): NumberRange {
  switch (order) {
    case "<":
      return { low: Number.NEGATIVE_INFINITY, high: neighbour(wanted, -1n) };
    case "<=":
      return { low: Number.NEGATIVE_INFINITY, high: wanted };
    case ">":
      return { low: neighbour(wanted, 1n), high: Number.POSITIVE_INFINITY };
    case ">=":
      return { low: wanted, high: Number.POSITIVE_INFINITY };
    case "=":
      return { low: wanted, high: wanted };
  }
}

/** Elements of integer columns have 32 bits: a bound beyond them is as good as any other. */
const mostStored = 2 ** 33;

/** The elements of an integer column that stand for numbers of the range. Numbers are `(element - 1) * unit`. */
function storedRange({ low, high }: NumberRange, unit: number): NumberRange {
  const last = high < 0 ? -1 : floorDivide(Math.min(high, mostStored * unit), unit);
  const least = low <= 0 ? 0 : Math.min(low, mostStored * unit);
  const first = floorDivide(least, unit);
  return { low: first * unit < least ? first + 2 : first + 1, high: last + 1 };
}

/** Division rounds; the multiples decide. */
function floorDivide(number: number, unit: number): number {
  const quotient = Math.floor(number / unit);
  return quotient * unit > number ? quotient - 1 : quotient;
}

/** A number, and how others compare with it. */
export interface NumberTest {
  readonly order: OrderTest;
  readonly value: number;
}

/** The numbers that pass all tests. */
function rangeOfAll(tests: readonly NumberTest[]): NumberRange {
  const ranges = tests.map(({ order, value }) => rangeOf(order, value));
  return { low: Math.max(...ranges.map(({ low }) => low)), high: Math.min(...ranges.map(({ high }) => high)) };
}

/** Keeps the rows whose number passes all tests, or the others and those without a number if `isNegated`. */
export function keepNumbers(column: ScannedNumbers, tests: readonly NumberTest[], isNegated: boolean): RowFilter {
  if (column.presentCount === 0) return isNegated ? "all" : "none";
  const { values, unit } = column;
  const range = rangeOfAll(tests);
  const { low, high } = unit === undefined ? range : storedRange(range, unit);
  if (!(low <= high)) return isNegated ? "all" : "none";
  const wantedBit = isNegated ? 0 : 1;
  if (values instanceof Float64Array || low > maxWord || (high > maxWord && high < mostElement))
    return (rows, count, isEvery = false) => keepFloats(values, { low, high, wantedBit }, rows, count, isEvery);
  if (column.hasSmallWords && values instanceof Uint32Array) {
    const small = { low, high: Math.min(high, maxWord), wantedBit };
    return (rows, count, isEvery = false) => keepSmallWords(values, small, rows, count, isEvery);
  }
  const isOpen = high >= mostElement;
  const bounds = { low, high: isOpen ? maxWord : high, openBits: isOpen ? -1 : 0, wantedBit };
  return (rows, count, isEvery = false) => keepWords(values, bounds, rows, count, isEvery);
}

/** The greatest element of an integer column, and the greatest bound that fits the words of `keepWords`. */
const [mostElement, maxWord] = [2 ** 32 - 1, 2 ** 31 - 1];

interface WordBounds extends NumberRange {
  /** All bits set if the range has no end, else none. */
  readonly openBits: number;
  /** 1 to keep what is in the range, 0 to keep the others. */
  readonly wantedBit: number;
}

/**
 * Loops over words of 32 bits with a sign, where elements above `maxWord` are negative. The sign of a difference tells
 * whether a number is out of the range: a comparison is a branch, which costs 5 ns a row if it is taken at random.
 */
function keepWords(
  values: Exclude<ColumnArray, Float64Array>,
  { openBits, wantedBit, ...bounds }: WordBounds,
  rows: Uint32Array,
  count: number,
  isEvery: boolean,
): number {
  // As words: with bounds that are floats, each row would be compared as a float, which takes twice the time.
  const [low, high] = [bounds.low | 0, bounds.high | 0];
  let kept = 0;
  const closedBits = ~openBits;
  if (isEvery) {
    for (let row = 0; row < count; row += 1) {
      const word = (values[row] ?? 0) | 0;
      const isOut = ((~word & (word - low)) | (closedBits & (word | (high - word)))) >>> 31;
      rows[kept] = row;
      kept = (kept + (isOut ^ wantedBit)) | 0;
    }
    return kept;
  }
  for (let at = 0; at < count; at += 1) {
    const row = rows[at] ?? 0;
    const word = (values[row] ?? 0) | 0;
    const isOut = ((~word & (word - low)) | (closedBits & (word | (high - word)))) >>> 31;
    rows[kept] = row;
    kept = (kept + (isOut ^ wantedBit)) | 0;
  }
  return kept;
}

/** As `keepWords`, for elements without a sign. One type of array takes half the time of several: times have this one. */
function keepSmallWords(
  values: Uint32Array,
  bounds: Omit<WordBounds, "openBits">,
  rows: Uint32Array,
  count: number,
  isEvery: boolean,
): number {
  const [low, high, wantedBit] = [bounds.low | 0, bounds.high | 0, bounds.wantedBit | 0];
  let kept = 0;
  if (isEvery) {
    for (let row = 0; row < count; row += 1) {
      const word = (values[row] ?? 0) | 0;
      rows[kept] = row;
      kept = (kept + ((((word - low) | (high - word)) >>> 31) ^ wantedBit)) | 0;
    }
    return kept;
  }
  for (let at = 0; at < count; at += 1) {
    const row = rows[at] ?? 0;
    const word = (values[row] ?? 0) | 0;
    rows[kept] = row;
    kept = (kept + ((((word - low) | (high - word)) >>> 31) ^ wantedBit)) | 0;
  }
  return kept;
}

/** For numbers that are not whole or too large, which few columns have. */
function keepFloats(
  values: ColumnArray,
  { low, high, wantedBit }: Omit<WordBounds, "openBits">,
  rows: Uint32Array,
  count: number,
  isEvery: boolean,
): number {
  let kept = 0;
  for (let at = 0; at < count; at += 1) {
    const row = isEvery ? at : (rows[at] ?? 0);
    const value = values[row] ?? 0;
    rows[kept] = row;
    kept += value >= low && value <= high ? wantedBit : 1 - wantedBit;
  }
  return kept;
}
