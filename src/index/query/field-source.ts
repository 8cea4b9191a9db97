// SPDX-License-Identifier: Apache-2.0
// How the values of a field are read from the rows of one table, without a JavaScript value per row.
import type { ClusterFields } from "../scan/row-filter.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";

/** The rows of one kind of one cluster. */
export interface TableView {
  readonly table: KindTable;
  /** The text of the resource id. */
  readonly resource: string;
  readonly fields: ClusterFields;
  /** The moment of the query, for ages. */
  readonly nowMs: number;
}

/** Where a code has no text. */
export const noText = -1;

/** The meaning of codes. One object per cluster, so that codes can be counted over its tables. */
export interface CodeSpace {
  /** Codes are below this number. */
  readonly count: number;
  /** Codes are 0 for none, 1 for false and 2 for true. They are sorted as numbers. */
  readonly isBoolean?: true;
  /** The distinct texts of a code; empty if it has none. */
  textsOf(code: number): readonly string[];
  /**
   * Present if codes have at most one text each, which can be written as UTF-8 without being built. Returns the number
   * of bytes; -1 if the code has no text, and `target.length` or more if it does not fit.
   */
  writeText?(code: number, target: Uint8Array): number;
  /** Present if codes have at most one text each, and all texts are in one dictionary. */
  readonly single?: {
    readonly dictionary: TextDictionary;
    /** The id of the text; `noText` if the code has none. */
    readonly idOf: (code: number) => number;
  };
}

/** An array of codes. */
export type CodeArray = Uint8Array | Uint16Array | Uint32Array;

/** Codes of rows as arrays: `codes[row]`, or `via[codes[row]]` if there is a translation. */
export interface CodesOfRows {
  readonly codes: CodeArray;
  readonly via?: CodeArray;
}

/** Numbers of rows as an array, in the form of the table's columns. */
export interface NumbersOfRows {
  readonly values: CodeArray | Float64Array;
  /** Elements are `number / unit + 1` and 0 for none. Undefined: they are the numbers, and NaN for none. */
  readonly unit: number | undefined;
}

/** How one field of the rows of one table is read. */
export type FieldSource =
  | { readonly kind: "none" }
  /** All rows have this text. */
  | { readonly kind: "constant"; readonly text: string }
  | {
      readonly kind: "codes";
      readonly space: CodeSpace;
      readonly at: (row: number) => number;
      /** The same codes, where they are an array. */
      readonly array?: CodesOfRows;
    }
  /** NaN for none. */
  | {
      readonly kind: "numbers";
      readonly at: (row: number) => number;
      /** The same numbers, where they are an array. */
      readonly array?: NumbersOfRows;
    }
  /** "" for none. Rare: one text is built for each row. */
  | { readonly kind: "texts"; readonly at: (row: number) => string }
  /** A column that rows of this kind have with several types. A row has a value in at most one. */
  | { readonly kind: "several"; readonly sources: readonly FieldSource[] };
