// SPDX-License-Identifier: Apache-2.0
import type { FieldRef } from "../language/field-ref.ts";
import { CodeCounts } from "./code-counts.ts";
import { type CodeSpace, type FieldSource, noText, type TableView } from "./field-source.ts";
import type { FacetAnswer, FacetRequest } from "./query-request.ts";
import { RowField } from "./row-field.ts";
import type { RowSelection } from "./row-selection.ts";
import { topValues } from "./top-values.ts";
import { ValueIds } from "./value-ids.ts";

/** Whole numbers below this are counted in an array. Most numbers of rows are small: restarts, replicas. */
const smallLimit = 4_096;

/** Counts the rows of a query by the values of one field. */
export interface FacetCounter {
  readonly ref: FieldRef;
  /** `selection` is borrowed for the call. */
  add(view: TableView, selection: RowSelection): void;
  /** Called before rows may change: codes of dictionaries are turned into values. */
  release(): void;
  answer(): FacetAnswer;
}

/** Counts by any field. Codes are counted over the tables of a cluster first, then each code is decoded once. */
export class FieldFacet implements FacetCounter {
  readonly ref: FieldRef;
  readonly #prefix: string | undefined;
  readonly #field: RowField;
  readonly #ids: ValueIds;
  #counts = new Uint32Array(64);
  #noneCount = 0;
  readonly #codes = new CodeCounts();
  /** Counts of numbers below `smallLimit`, by number. */
  readonly #small = new CodeCounts();
  #space: CodeSpace | undefined;

  constructor({ ref, prefix }: FacetRequest) {
    this.ref = ref;
    this.#prefix = prefix;
    this.#field = new RowField(ref);
    this.#ids = new ValueIds(ref);
  }

  add(view: TableView, selection: RowSelection): void {
    this.#addSource(this.#field.open(view), selection);
  }

  /** Counts rows that all have this text, or none for "". */
  addConstant(text: string, count: number): void {
    if (text === "") this.#noneCount += count;
    else this.#count(this.#ids.ofConstant(text), count);
  }

  release(): void {
    this.#decode();
    this.#field.release();
  }

  answer(): FacetAnswer {
    this.release();
    this.#small.drain((value, count) => this.#count(this.#ids.ofNumber(value), count));
    const { ref } = this;
    return { ref, ...topValues(this.#ids.dictionary, this.#counts, this.#prefix), noneCount: this.#noneCount };
  }

  #addSource(source: FieldSource, selection: RowSelection): void {
    switch (source.kind) {
      case "none":
        this.#noneCount += selection.count;
        return;
      case "constant":
        this.addConstant(source.text, selection.count);
        return;
      case "codes":
        this.#useSpace(source.space);
        if (source.array === undefined) this.#addEach(source, selection);
        else this.#codes.addCodes(source.array, selection, source.space.count);
        return;
      default:
        this.#addEach(source, selection);
    }
  }

  #addEach(source: FieldSource, { rows, count, isAll }: RowSelection): void {
    for (let at = 0; at < count; at += 1) if (!this.#addRow(source, isAll ? at : (rows[at] ?? 0))) this.#noneCount += 1;
  }

  /** False if the row has no value. A code that has no text is found to be none later. */
  #addRow(source: FieldSource, row: number): boolean {
    switch (source.kind) {
      case "none":
        return false;
      case "constant":
        this.addConstant(source.text, 1);
        return true;
      case "codes": {
        const code = source.at(row);
        this.#useSpace(source.space);
        this.#codes.add(code, 1);
        return true;
      }
      case "numbers": {
        const value = source.at(row);
        if (Number.isNaN(value)) return false;
        if (value < smallLimit && value >= 0 && Number.isInteger(value)) this.#small.add(value, 1);
        else this.#count(this.#ids.ofNumber(value), 1);
        return true;
      }
      case "texts":
        this.addConstant(source.at(row), 1);
        return true;
      case "several":
        return source.sources.some((each) => this.#addRow(each, row));
    }
  }

  #useSpace(space: CodeSpace): void {
    if (space === this.#space) return;
    this.#decode();
    this.#space = space;
  }

  #decode(): void {
    const space = this.#space;
    this.#space = undefined;
    if (space === undefined) return;
    const { single } = space;
    if (single === undefined) {
      this.#codes.drain((code, count) => this.#addValues(this.#ids.ofCode(space, code), count));
      return;
    }
    const { bytes } = single.dictionary;
    this.#codes.drain((code, count) => {
      const textId = single.idOf(code);
      if (textId === noText) this.#noneCount += count;
      else this.#count(this.#ids.ofDictionary(single.dictionary, textId, bytes), count);
    });
  }

  #addValues(ids: readonly number[], count: number): void {
    if (ids.length === 0) this.#noneCount += count;
    for (const id of ids) this.#count(id, count);
  }

  #count(id: number, count: number): void {
    if (id >= this.#counts.length) {
      const larger = new Uint32Array(Math.max(id + 1, this.#counts.length * 2));
      larger.set(this.#counts);
      this.#counts = larger;
    }
    this.#counts[id] = (this.#counts[id] ?? 0) + count;
  }
}
