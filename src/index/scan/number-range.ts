// SPDX-License-Identifier: Apache-2.0
import type { OrderTest } from "../language/query-predicate.ts";
import type { NumberColumn } from "../table/number-column.ts";
import type { ColumnArray } from "../table/table-column.ts";
import type { RowFilter } from "./keep-rows.ts";

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

// The loops count with `+`, `&` and `| 0`, which need no branch: a branch that is taken at random costs 5 ns a row.

/** Keeps the rows whose number compares so, or the others and those without a number if `isNegated`. */
export function keepNumbers(column: NumberColumn, order: OrderTest, wanted: number, isNegated: boolean): RowFilter {
  if (column.presentCount === 0) return isNegated ? "all" : "none";
  const { values, unit } = column;
  const range = rangeOf(order, wanted);
  const { low, high } = unit === undefined ? range : storedRange(range, unit);
  if (!(low <= high)) return isNegated ? "all" : "none";
  return isNegated
    ? (rows, count, isEvery = false) => dropRange(values, { low, high }, rows, count, isEvery)
    : (rows, count, isEvery = false) => keepRange(values, { low, high }, rows, count, isEvery);
}

function keepRange(
  values: ColumnArray,
  { low, high }: NumberRange,
  rows: Uint32Array,
  count: number,
  isEvery: boolean,
): number {
  let kept = 0;
  if (isEvery) {
    for (let row = 0; row < count; row += 1) {
      const value = values[row] ?? 0;
      rows[kept] = row;
      kept = (kept + (+(value >= low) & +(value <= high))) | 0;
    }
    return kept;
  }
  for (let at = 0; at < count; at += 1) {
    const row = rows[at] ?? 0;
    const value = values[row] ?? 0;
    rows[kept] = row;
    kept = (kept + (+(value >= low) & +(value <= high))) | 0;
  }
  return kept;
}

function dropRange(
  values: ColumnArray,
  { low, high }: NumberRange,
  rows: Uint32Array,
  count: number,
  isEvery: boolean,
): number {
  let kept = 0;
  for (let at = 0; at < count; at += 1) {
    const row = isEvery ? at : (rows[at] ?? 0);
    const value = values[row] ?? 0;
    rows[kept] = row;
    kept = (kept + 1 - (+(value >= low) & +(value <= high))) | 0;
  }
  return kept;
}
