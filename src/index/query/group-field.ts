// SPDX-License-Identifier: Apache-2.0
import type { FieldRef } from "../language/field-ref.ts";
import type { CodeSpace, FieldSource, TableView } from "./field-source.ts";
import { noValue } from "./group-slots.ts";
import { RowField } from "./row-field.ts";
import { ValueIds } from "./value-ids.ts";

/** The value of a row as an id, `noValue` for none; or a list of values, as `firstList` plus its number. */
export type GroupReader = (row: number) => number;

/** Ids from here up to `noValue` are numbers of lists. */
const firstList = 0x8000_0000;

export function isListId(id: number): boolean {
  return id >= firstList && id !== noValue;
}

/** One field of a group. Each code of a cluster is decoded once. */
export class GroupField {
  readonly #field: RowField;
  readonly #ids: ValueIds;
  /** By space and code: the id plus one, 0 if it is not known yet. */
  readonly #known = new Map<CodeSpace, Float64Array>();
  readonly #byNumber = new Map<number, number>();
  /** Rows with several values, each distinct list once per decoded code. */
  #lists: (readonly number[])[] = [];

  constructor(ref: FieldRef) {
    this.#field = new RowField(ref);
    this.#ids = new ValueIds(ref);
  }

  open(view: TableView): GroupReader {
    return this.#openSource(this.#field.open(view));
  }

  /** Readers are invalid afterwards. */
  release(): void {
    this.#known.clear();
    this.#lists = [];
    this.#field.release();
  }

  listOf(id: number): readonly number[] {
    return this.#lists[id - firstList] ?? [];
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

  #openSource(source: FieldSource): GroupReader {
    switch (source.kind) {
      case "none":
        return () => noValue;
      case "constant": {
        const id = this.#ids.ofConstant(source.text);
        return () => id;
      }
      case "codes":
        return this.#openCodes(source.space, source.at);
      case "numbers":
        return (row) => this.#ofNumber(source.at(row));
      case "texts":
        return (row) => (source.at(row) === "" ? noValue : this.#ids.ofText(source.at(row)));
      case "several": {
        const readers = source.sources.map((each) => this.#openSource(each));
        return (row) => {
          for (const reader of readers) {
            const id = reader(row);
            if (id !== noValue) return id;
          }
          return noValue;
        };
      }
    }
  }

  #openCodes(space: CodeSpace, at: (row: number) => number): GroupReader {
    const readLater = (code: number): number => {
      const id = this.#ofCode(space, code);
      const known = this.#known.get(space);
      if (known !== undefined && code < known.length) known[code] = id + 1;
      return id;
    };
    // Codes that come later, of pairs of lists, are decoded each time.
    const known = this.#known.get(space) ?? new Float64Array(space.count);
    this.#known.set(space, known);
    return (row) => {
      const code = at(row);
      const stored = known[code] ?? 0;
      return stored === 0 ? readLater(code) : stored - 1;
    };
  }

  #ofCode(space: CodeSpace, code: number): number {
    const ids = this.#ids.ofCode(space, code);
    const [first = noValue] = ids;
    return ids.length <= 1 ? first : firstList + this.#lists.push(ids) - 1;
  }

  #ofNumber(value: number): number {
    if (Number.isNaN(value)) return noValue;
    const known = this.#byNumber.get(value);
    if (known !== undefined) return known;
    const id = this.#ids.ofNumber(value);
    this.#byNumber.set(value, id);
    return id;
  }
}
