// SPDX-License-Identifier: Apache-2.0
import { unreachable } from "../../base/assert.ts";
import type { SortField } from "../language/field-ref.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { type CodeSpace, type FieldSource, type NumbersOfRows, noText, type TableView } from "./field-source.ts";
import type { SortScalar } from "./query-request.ts";
import type { RowField } from "./row-field.ts";
import type { RowSelection } from "./row-selection.ts";
import { compareKeys, compareScalars, createKeyReader, hasTypedTexts, type ValueKey } from "./sort-scalar.ts";

const encoder = new TextEncoder();

/** One field of an order over the rows of one table, in the direction of the order. Valid until the next fold. */
export interface SortColumn {
  /** Present if all rows have the same value. */
  readonly constant?: { readonly value: SortScalar };
  valueOf(row: number): SortScalar;
  compare(a: number, b: number): number;
  /** A function that compares a row with a value that stays the same for many rows. */
  createComparer(value: SortScalar): (row: number) => number;
  /**
   * Drops rows that come after the value, into `kept`, and returns how many are left. It may keep some of them: it is
   * the fast pass before an exact one. Absent where there is no fast pass.
   */
  dropAfter?(value: SortScalar, selection: RowSelection, kept: Uint32Array): number;
}

/** Opens a field of an order in a table. */
export function openSortColumn(sort: SortField, field: RowField, view: TableView): SortColumn {
  // The worst status comes first: by rank, not by name.
  if (sort.ref.field === "status") {
    const { values } = view.table.statuses;
    return fromNumbers(sort, (row) => values[row] ?? 0, { values, unit: undefined });
  }
  return fromSource(sort, field.open(view));
}

function fromSource(sort: SortField, source: FieldSource): SortColumn {
  switch (source.kind) {
    case "none":
      return fromConstant(sort, undefined);
    case "constant":
      return fromConstant(sort, source.text);
    case "numbers":
      return fromNumbers(sort, source.at, source.array);
    case "texts":
      return fromValues(sort, (row) => source.at(row) || undefined);
    case "several": {
      const columns = source.sources.map((each) => fromSource(sort, each));
      return fromValues(sort, (row) => firstDefined(columns, row));
    }
    case "codes": {
      const { space, at } = source;
      if (space.isBoolean === true) return fromNumbers(sort, (row) => (at(row) === 0 ? Number.NaN : at(row) - 1));
      if (space.single !== undefined && !hasTypedTexts(sort.ref)) {
        const { dictionary, idOf } = space.single;
        return fromTexts(sort, dictionary, (row) => idOf(at(row)));
      }
      return fromLists(sort, space, at);
    }
    default:
      return unreachable(source, "source");
  }
}

/** A code of several texts is compared by its first one. Each code is decoded once per table. */
function fromLists(sort: SortField, space: CodeSpace, at: (row: number) => number): SortColumn {
  const toKey = createKeyReader(sort.ref);
  const memo = new Map<number, ValueKey | undefined>();
  const keyOf = (row: number): ValueKey | undefined => {
    const code = at(row);
    if (memo.has(code)) return memo.get(code);
    const key = toKey(space.textsOf(code)[0]);
    memo.set(code, key);
    return key;
  };
  return {
    valueOf: (row) => keyOf(row)?.value,
    compare: (a, b) => compareKeys(sort, keyOf(a), keyOf(b)),
    createComparer: (value) => {
      const other = toKey(value);
      return (row) => compareKeys(sort, keyOf(row), other);
    },
  };
}

function firstDefined(columns: readonly SortColumn[], row: number): SortScalar {
  for (const column of columns) {
    const value = column.valueOf(row);
    if (value !== undefined) return value;
  }
  return undefined;
}

function fromConstant(sort: SortField, value: SortScalar): SortColumn {
  return {
    constant: { value },
    valueOf: () => value,
    compare: () => 0,
    createComparer: (other) => {
      const order = compareScalars(sort, value, other);
      return () => order;
    },
  };
}

/** NaN is no value, and comes last. */
function fromNumbers(sort: SortField, at: (row: number) => number, array?: NumbersOfRows): SortColumn {
  const sign = sort.isDescending ? -1 : 1;
  const valueOf = (row: number): SortScalar => (Number.isNaN(at(row)) ? undefined : at(row));
  const compare = (a: number, b: number): number => {
    if (a === b) return 0;
    if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1;
    return Number.isNaN(b) ? -1 : (a - b) * sign;
  };
  return {
    valueOf,
    compare: (a, b) => compare(at(a), at(b)),
    createComparer: (value) => {
      if (typeof value === "string") return fromValues(sort, valueOf).createComparer(value);
      const other = value ?? Number.NaN;
      return (row) => compare(at(row), other);
    },
    ...(array === undefined ? {} : { dropAfter: createNumberPass(array, sort.isDescending) }),
  };
}

/** A loop over the stored form of numbers. Bounds are rounded so that no row is dropped that might stay. */
function createNumberPass(
  { values, unit }: NumbersOfRows,
  isDescending: boolean,
): NonNullable<SortColumn["dropAfter"]> {
  return (value, { rows, count, isAll }, kept) => {
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    const isBound = typeof value === "number";
    if (isBound && isDescending) low = unit === undefined ? value : Math.floor(value / unit) + 1;
    if (isBound && !isDescending) high = unit === undefined ? value : Math.ceil(value / unit) + 1;
    // Stored integers are 0 for none, which comes after every number.
    if (isBound && unit !== undefined) low = Math.max(low, 1);
    let length = 0;
    for (let at = 0; at < count; at += 1) {
      const row = isAll ? at : (rows[at] ?? 0);
      const stored = values[row] ?? 0;
      kept[length] = row;
      length += isBound && !(stored >= low && stored <= high) ? 0 : 1;
    }
    return length;
  };
}

/** Texts of one dictionary, compared without building them. */
function fromTexts(sort: SortField, dictionary: TextDictionary, idOf: (row: number) => number): SortColumn {
  const sign = sort.isDescending ? -1 : 1;
  return {
    valueOf: (row) => (idOf(row) === noText ? undefined : dictionary.get(idOf(row))),
    compare: (rowA, rowB) => {
      const [a, b] = [idOf(rowA), idOf(rowB)];
      if (a === b) return 0;
      if (a === noText || b === noText) return a === noText ? 1 : -1;
      return dictionary.compare(a, b) * sign;
    },
    createComparer: (value) => {
      if (value === undefined) return (row) => (idOf(row) === noText ? 0 : -1);
      if (typeof value === "number") return (row) => (idOf(row) === noText ? 1 : sign);
      const wanted = encoder.encode(value);
      const { bytes } = dictionary;
      return (row) => {
        const id = idOf(row);
        if (id === noText) return 1;
        return compareBytes(bytes, dictionary.startOf(id), dictionary.endOf(id), wanted) * sign;
      };
    },
    dropAfter: (value, { rows, count, isAll }, kept) => {
      const wanted = typeof value === "string" ? encoder.encode(value) : undefined;
      const { bytes } = dictionary;
      let length = 0;
      for (let at = 0; at < count; at += 1) {
        const row = isAll ? at : (rows[at] ?? 0);
        if (wanted !== undefined) {
          const id = idOf(row);
          if (id === noText) continue;
          if (compareBytes(bytes, dictionary.startOf(id), dictionary.endOf(id), wanted) * sign > 0) continue;
        }
        kept[length] = row;
        length += 1;
      }
      return length;
    },
  };
}

function compareBytes(bytes: Uint8Array, from: number, end: number, wanted: Uint8Array): number {
  const count = end - from;
  const most = Math.min(count, wanted.length);
  for (let at = 0; at < most; at += 1) {
    const difference = (bytes[from + at] ?? 0) - (wanted[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return count - wanted.length;
}

function fromValues(sort: SortField, valueOf: (row: number) => SortScalar): SortColumn {
  const toKey = createKeyReader(sort.ref);
  return {
    valueOf,
    compare: (a, b) => compareKeys(sort, toKey(valueOf(a)), toKey(valueOf(b))),
    createComparer: (value) => {
      const other = toKey(value);
      return (row) => compareKeys(sort, toKey(valueOf(row)), other);
    },
  };
}
