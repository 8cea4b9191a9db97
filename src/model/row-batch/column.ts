// SPDX-License-Identifier: Apache-2.0
import { BugError, unreachable } from "../../base/assert.ts";
import { type ColumnSpec, type ColumnValue, columnTypes } from "../rows/row.ts";
import type { ByteReader } from "./byte-reader.ts";
import { absentBoolean, absentId } from "./format.ts";
import { GroupInterner, type GroupTable, type GroupValues, groupCount } from "./group-table.ts";
import { readIds, skipIds, writeIds } from "./ids.ts";
import { anyInteger, readInts, skipInts, writeInts } from "./ints.ts";
import { readPresence, spread, writePresence } from "./optional.ts";
import { toIds, type WriteStep } from "./step.ts";
import type { StringInterner } from "./string-interner.ts";
import type { StringTable } from "./string-table.ts";

/** A column of a batch: one element per row. Absent values are `absentId`, NaN or `absentBoolean`. */
export type BatchColumn =
  | { readonly name: string; readonly type: "string"; readonly values: Uint32Array }
  | { readonly name: string; readonly type: "integer"; readonly values: Float64Array }
  | { readonly name: string; readonly type: "float"; readonly values: Float64Array }
  | { readonly name: string; readonly type: "boolean"; readonly values: Uint8Array }
  | { readonly name: string; readonly type: "stringList"; readonly values: Uint32Array };

/** The number of a column's type in the layout. */
function typeNumber(spec: ColumnSpec): number {
  return columnTypes.indexOf(spec.type) + 1;
}

/** Collects the values of one column as numbers, row by row. */
export class ColumnCollector {
  readonly #spec: ColumnSpec;
  readonly #strings: StringInterner;
  readonly #nameNumber: number;
  readonly #lists = new GroupInterner("list");
  /** NaN for a row without a value. */
  readonly #numbers: Float64Array;

  constructor(spec: ColumnSpec, strings: StringInterner, rowCount: number) {
    this.#spec = spec;
    this.#strings = strings;
    this.#nameNumber = strings.number(spec.name);
    this.#numbers = new Float64Array(rowCount).fill(Number.NaN);
  }

  /** Sets the value of the row at `at`. A value of another type is a bug of the kind. */
  set(at: number, value: ColumnValue): void {
    const number = this.#toNumber(value);
    const { name, type } = this.#spec;
    if (number === undefined) throw new BugError(`a value of column ${name} is not of type ${type}`);
    this.#numbers[at] = number;
  }

  /** The step that writes the column: its head, then the present values. Its lists are numbered in `lists`. */
  collect(lists: GroupInterner): WriteStep {
    const { type } = this.#spec;
    const numbers = type === "stringList" ? this.#lists.moveTo(lists, this.#numbers) : this.#numbers;
    return (writer, idOf) => {
      writer.varint(idOf[this.#nameNumber] ?? 0);
      writer.u8(typeNumber(this.#spec));
      const present = writePresence(writer, numbers);
      if (type === "string") writeIds(writer, toIds(present, idOf));
      else if (type === "stringList") writeIds(writer, present);
      else if (type === "float") for (const value of present) writer.f64(value);
      else writeInts(writer, present);
    };
  }

  /** The number for a value during collection; undefined if it is not of the column's type. */
  #toNumber(value: ColumnValue): number | undefined {
    const { type } = this.#spec;
    switch (type) {
      case "string":
        return typeof value === "string" ? this.#strings.number(value) : undefined;
      case "integer":
        return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
      case "float":
        return typeof value === "number" && Number.isFinite(value) ? value : undefined;
      case "boolean":
        return typeof value === "boolean" ? Number(value) : undefined;
      case "stringList":
        return typeof value === "object"
          ? this.#lists.number(value.map((text) => this.#strings.number(text)))
          : undefined;
      default:
        return unreachable(type, "column type");
    }
  }
}

function readFloats(reader: ByteReader, count: number): Float64Array {
  const view = reader.takeView(count * 8);
  const out = reader.newFloat64Array(count);
  for (let at = 0; at < count; at += 1) {
    const value = view.getFloat64(at * 8, true);
    if (!Number.isFinite(value)) reader.malformed("a number is not finite");
    out[at] = value;
  }
  return out;
}

/** Reads one column of `rowCount` rows. */
export function readColumn(
  reader: ByteReader,
  rowCount: number,
  strings: StringTable,
  lists: GroupTable,
): BatchColumn & { readonly nameId: number } {
  const nameId = reader.id("string", strings.count);
  const type = columnTypes[reader.u8() - 1];
  if (type === undefined) reader.malformed("a column of unknown type");
  const presence = readPresence(reader, rowCount);
  const count = presence.presentCount;
  const head = { name: strings.get(nameId), nameId };
  switch (type) {
    case "string":
    case "stringList": {
      const ids = readIds(reader, count, type === "string" ? strings.count : groupCount(lists));
      const values = presence.form === "all" ? ids : spread(presence, ids, reader.newUint32Array(rowCount), absentId);
      return { ...head, type, values };
    }
    case "integer":
    case "float": {
      const numbers = type === "integer" ? readInts(reader, count, anyInteger) : readFloats(reader, count);
      const values =
        presence.form === "all" ? numbers : spread(presence, numbers, reader.newFloat64Array(rowCount), Number.NaN);
      return { ...head, type, values };
    }
    case "boolean": {
      const bits = readInts(reader, count, { min: 0, max: 1 });
      return { ...head, type, values: spread(presence, bits, reader.newUint8Array(rowCount), absentBoolean) };
    }
    default:
      return unreachable(type, "column type");
  }
}

/** Skips one column of `rowCount` rows without a look at its values. */
export function skipColumn(reader: ByteReader, rowCount: number): void {
  reader.varint();
  const type = columnTypes[reader.u8() - 1];
  if (type === undefined) reader.malformed("a column of unknown type");
  const { presentCount } = readPresence(reader, rowCount);
  if (type === "string" || type === "stringList") skipIds(reader, presentCount);
  else if (type === "float") reader.skip(presentCount * 8);
  else skipInts(reader, presentCount);
}

/** The value of a row in a column; undefined if it has none. */
export function columnValueAt(
  column: BatchColumn,
  at: number,
  strings: StringTable,
  lists: GroupValues,
): ColumnValue | undefined {
  const value = column.values[at] ?? Number.NaN;
  switch (column.type) {
    case "string":
      return value === absentId ? undefined : strings.get(value);
    case "integer":
    case "float":
      return Number.isNaN(value) ? undefined : value;
    case "boolean":
      return value === absentBoolean ? undefined : value === 1;
    case "stringList":
      return value === absentId ? undefined : lists.list(value);
    default:
      return unreachable(column, "column");
  }
}
