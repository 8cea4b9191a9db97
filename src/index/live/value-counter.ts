// SPDX-License-Identifier: Apache-2.0
import { unreachable } from "../../base/assert.ts";
import type { FieldRef } from "../language/field-ref.ts";
import { CodeCounts } from "../query/code-counts.ts";
import { type CodeSpace, type FieldSource, noText, type TableView } from "../query/field-source.ts";
import { RowField } from "../query/row-field.ts";
import type { RowSelection } from "../query/row-selection.ts";
import type { RowValue } from "../query/row-value.ts";
import { ValueIds } from "../query/value-ids.ts";

/** Arrays that are empty between two tables. All counters share them: they are as long as the largest dictionary. */
class CountingArrays {
  readonly codes = new CodeCounts();
  readonly values = new CodeCounts();
}

let arrays = new CountingArrays();

/**
 * Counts the selected rows of one table after another by the values of one field. Values have the same ids in all
 * tables, so counts of tables can be added and subtracted.
 */
export class ValueCounter {
  readonly #field: RowField;
  readonly ids: ValueIds;
  #noneCount = 0;

  constructor(ref: FieldRef) {
    this.#field = new RowField(ref);
    this.ids = new ValueIds(ref);
  }

  /**
   * Appends the number of rows without a value, the number of values, and for each value its id, as the difference from
   * the one before, and its count. Throws TOO_LARGE if the field has more values than a query may hold; nothing is
   * appended then.
   */
  count(view: TableView, selection: RowSelection, part: number[]): void {
    this.#noneCount = 0;
    try {
      this.#addSource(this.#field.open(view), selection);
    } catch (reason) {
      arrays = new CountingArrays();
      throw reason;
    }
    const countAt = part.push(this.#noneCount, 0) - 1;
    let last = 0;
    arrays.values.drain((id, count) => {
      part.push(toUnsigned(id - last), count);
      last = id;
    });
    part[countAt] = (part.length - countAt - 1) / 2;
  }

  /** The ids of the distinct values of one row; none if it has no value. Throws TOO_LARGE as `count`. */
  idsOf(value: RowValue): readonly number[] {
    switch (typeof value) {
      case "undefined":
        return [];
      case "number":
        return [this.ids.ofNumber(value)];
      case "object":
        return Array.from(new Set(value), (text) => this.ids.ofText(text));
      default:
        return [this.ids.ofText(String(value))];
    }
  }

  /** Called before rows may change. */
  release(): void {
    this.#field.release();
  }

  #addSource(source: FieldSource, selection: RowSelection): void {
    switch (source.kind) {
      case "none":
        this.#noneCount += selection.count;
        return;
      case "constant":
        arrays.values.add(this.ids.ofConstant(source.text), selection.count);
        return;
      case "codes":
        this.#addCodes(source, selection);
        return;
      default:
        forEachRow(selection, (row) => {
          if (!this.#addRow(source, row)) this.#noneCount += 1;
        });
    }
  }

  #addCodes({ space, array, at }: Extract<FieldSource, { kind: "codes" }>, selection: RowSelection): void {
    if (array === undefined) forEachRow(selection, (row) => arrays.codes.add(at(row), 1));
    else arrays.codes.addCodes(array, selection, space.count);
    const { single } = space;
    if (single === undefined) {
      arrays.codes.drain((code, count) => {
        if (!this.#addTexts(space, code, count)) this.#noneCount += count;
      });
      return;
    }
    const { bytes } = single.dictionary;
    arrays.codes.drain((code, count) => {
      const textId = single.idOf(code);
      if (textId === noText) this.#noneCount += count;
      else arrays.values.add(this.ids.ofDictionary(single.dictionary, textId, bytes), count);
    });
  }

  /** False if the code has no value. */
  #addTexts(space: CodeSpace, code: number, count: number): boolean {
    const ids = this.ids.ofCode(space, code);
    for (const id of ids) arrays.values.add(id, count);
    return ids.length > 0;
  }

  /** False if the row has no value. */
  #addRow(source: FieldSource, row: number): boolean {
    switch (source.kind) {
      case "none":
        return false;
      case "constant":
        arrays.values.add(this.ids.ofConstant(source.text), 1);
        return true;
      case "codes":
        return this.#addTexts(source.space, source.at(row), 1);
      case "numbers": {
        const value = source.at(row);
        if (Number.isNaN(value)) return false;
        arrays.values.add(this.ids.ofNumber(value), 1);
        return true;
      }
      case "texts": {
        const text = source.at(row);
        if (text === "") return false;
        arrays.values.add(this.ids.ofText(text), 1);
        return true;
      }
      case "several":
        return source.sources.some((each) => this.#addRow(each, row));
      default:
        return unreachable(source, "source");
    }
  }
}

/** A difference as a number that is small if the difference is small. */
export function toUnsigned(difference: number): number {
  return difference >= 0 ? difference * 2 : -difference * 2 - 1;
}

/** The inverse of what `count` appends for an id. */
export function fromUnsigned(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}

function forEachRow({ rows, count, isAll }: RowSelection, each: (row: number) => void): void {
  for (let at = 0; at < count; at += 1) each(isAll ? at : (rows[at] ?? 0));
}
