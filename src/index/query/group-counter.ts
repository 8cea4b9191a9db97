// SPDX-License-Identifier: Apache-2.0
import type { FieldRef } from "../language/field-ref.ts";
import { parseQuantity } from "../language/quantity.ts";
import type { CodeSpace, FieldSource, TableView } from "./field-source.ts";
import { GroupSlots, noValue } from "./group-slots.ts";
import { type GroupRequest, type GroupsAnswer, maxAnswerGroups, type QueryGroup } from "./query-request.ts";
import { RowField } from "./row-field.ts";
import { type RowSelection, selectTop } from "./row-selection.ts";
import { ValueIds } from "./value-ids.ts";

/** Groups the rows of a query by up to three fields (QL12). A row with several values is in a group of each. */
export class GroupCounter {
  readonly #fields: readonly GroupField[];
  readonly #measure: RowField | undefined;
  readonly #slots: GroupSlots;
  readonly #key: Uint32Array;

  constructor({ by, of }: GroupRequest) {
    this.#fields = by.map((ref) => new GroupField(ref));
    this.#measure = of === undefined ? undefined : new RowField(of);
    this.#slots = new GroupSlots(by.length);
    this.#key = new Uint32Array(by.length);
  }

  add(view: TableView, { rows, count, isAll }: RowSelection): void {
    const readers = this.#fields.map((field) => field.open(view));
    const measureAt = this.#measure === undefined ? noMeasure : openMeasure(this.#measure.open(view));
    for (let at = 0; at < count; at += 1) {
      const row = isAll ? at : (rows[at] ?? 0);
      this.#addRow(readers, row, 0, measureAt(row));
    }
  }

  release(): void {
    for (const field of this.#fields) field.release();
    this.#measure?.release();
  }

  answer(): GroupsAnswer {
    const slots = this.#slots;
    const top = selectTop(
      { rows: new Uint32Array(0), count: slots.count, isAll: true },
      maxAnswerGroups,
      (a, b) => slots.countAt(b) - slots.countAt(a) || this.#compareKeys(a, b),
      () => false,
    );
    return { groups: top.map((group) => this.#groupAt(group)), otherCount: slots.count - top.length };
  }

  #addRow(readers: readonly ValuesReader[], row: number, field: number, measure: number): void {
    const reader = readers[field];
    if (reader === undefined) {
      this.#slots.add(this.#key, measure);
      return;
    }
    for (const id of reader(row)) {
      this.#key[field] = id;
      this.#addRow(readers, row, field + 1, measure);
    }
  }

  #compareKeys(a: number, b: number): number {
    for (const [at, field] of this.#fields.entries()) {
      const order = field.compare(this.#slots.keyAt(a, at), this.#slots.keyAt(b, at));
      if (order !== 0) return order;
    }
    return 0;
  }

  #groupAt(group: number): QueryGroup {
    return {
      values: this.#fields.map((field, at) => field.textOf(this.#slots.keyAt(group, at))),
      count: this.#slots.countAt(group),
      ...this.#slots.rangeAt(group),
    };
  }
}

/** The ids of a row's values. A row without a value has `noValue`. */
type ValuesReader = (row: number) => readonly number[];

const withoutValue: readonly number[] = [noValue];

/** One field of a group. Each code of a cluster is decoded once. */
class GroupField {
  readonly #field: RowField;
  readonly #ids: ValueIds;
  readonly #byCode = new Map<CodeSpace, Map<number, readonly number[]>>();
  readonly #byNumber = new Map<number, readonly number[]>();

  constructor(ref: FieldRef) {
    this.#field = new RowField(ref);
    this.#ids = new ValueIds(ref);
  }

  open(view: TableView): ValuesReader {
    return this.#openSource(this.#field.open(view));
  }

  release(): void {
    this.#byCode.clear();
    this.#field.release();
  }

  /** Bytewise, no value last. */
  compare(a: number, b: number): number {
    if (a === b) return 0;
    if (a === noValue || b === noValue) return a === noValue ? 1 : -1;
    return this.#ids.dictionary.compare(a, b);
  }

  textOf(id: number): string | undefined {
    return id === noValue ? undefined : this.#ids.dictionary.get(id);
  }

  #openSource(source: FieldSource): ValuesReader {
    switch (source.kind) {
      case "none":
        return () => withoutValue;
      case "constant": {
        const ids = [this.#ids.ofConstant(source.text)];
        return () => ids;
      }
      case "codes":
        return this.#openCodes(source.space, source.at);
      case "numbers":
        return (row) => this.#ofNumber(source.at(row));
      case "texts":
        return (row) => (source.at(row) === "" ? withoutValue : [this.#ids.ofText(source.at(row))]);
      case "several": {
        const readers = source.sources.map((each) => this.#openSource(each));
        return (row) => {
          for (const reader of readers) {
            const ids = reader(row);
            if (ids !== withoutValue) return ids;
          }
          return withoutValue;
        };
      }
    }
  }

  #openCodes(space: CodeSpace, at: (row: number) => number): ValuesReader {
    const memo = this.#byCode.get(space) ?? new Map<number, readonly number[]>();
    this.#byCode.set(space, memo);
    return (row) => {
      const code = at(row);
      const known = memo.get(code);
      if (known !== undefined) return known;
      const ids = this.#ids.ofCode(space, code);
      const values = ids.length === 0 ? withoutValue : ids;
      memo.set(code, values);
      return values;
    };
  }

  #ofNumber(value: number): readonly number[] {
    if (Number.isNaN(value)) return withoutValue;
    const known = this.#byNumber.get(value);
    if (known !== undefined) return known;
    const ids = [this.#ids.ofNumber(value)];
    this.#byNumber.set(value, ids);
    return ids;
  }
}

const noMeasure = (): number => Number.NaN;

/** Numbers, times, and texts that are quantities. NaN for other rows. */
function openMeasure(source: FieldSource): (row: number) => number {
  switch (source.kind) {
    case "numbers":
      return source.at;
    case "codes": {
      const { space, at } = source;
      const memo = new Map<number, number>();
      return (row) => {
        const code = at(row);
        const known = memo.get(code);
        if (known !== undefined) return known;
        const [text] = space.isBoolean === true ? [] : space.textsOf(code);
        const value = text === undefined ? Number.NaN : (parseQuantity(text) ?? Number.NaN);
        memo.set(code, value);
        return value;
      };
    }
    case "several": {
      const readers = source.sources.map(openMeasure);
      return (row) => readers.map((at) => at(row)).find((value) => !Number.isNaN(value)) ?? Number.NaN;
    }
    default:
      return noMeasure;
  }
}
