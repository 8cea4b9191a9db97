// SPDX-License-Identifier: Apache-2.0
import { parseQuantity } from "../language/quantity-amount.ts";
import type { FieldSource, TableView } from "./field-source.ts";
import { GroupField, type GroupReader, isListId } from "./group-field.ts";
import { GroupSlots } from "./group-slots.ts";
import { type GroupRequest, type GroupsAnswer, maxAnswerGroups, type QueryGroup } from "./query-request.ts";
import { RowField } from "./row-field.ts";
import { type RowSelection, selectTop } from "./row-selection.ts";

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
      this.#addRow(readers, row, measureAt(row));
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

  #addRow(readers: readonly GroupReader[], row: number, measure: number): void {
    const key = this.#key;
    let hasList = false;
    for (let at = 0; at < readers.length; at += 1) {
      const id = readers[at]?.(row) ?? 0;
      key[at] = id;
      hasList ||= isListId(id);
    }
    if (hasList) this.#addLists(key.slice(), 0, measure);
    else this.#slots.add(key, measure);
  }

  /** Adds the row once for each combination of its values. */
  #addLists(ids: Uint32Array, at: number, measure: number): void {
    const id = ids[at];
    if (id === undefined) {
      this.#slots.add(this.#key, measure);
      return;
    }
    for (const each of isListId(id) ? (this.#fields[at]?.listOf(id) ?? []) : [id]) {
      this.#key[at] = each;
      this.#addLists(ids, at + 1, measure);
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
