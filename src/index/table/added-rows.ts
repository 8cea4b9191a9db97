// SPDX-License-Identifier: Apache-2.0

/** What the ids of a column are. */
export type IdKind = "namespaces" | "texts" | "maps" | "owners" | "optionalTexts" | "optionalLists";

/** Ids of one cluster's dictionaries for those of another's, as columns hold them. 0 is 0. */
export type IdTranslation = (kind: IdKind, stored: number) => number;

/** Rows of one table that a step adds to another one. An array is borrowed until the next call that returns its type. */
export class AddedRows {
  /** The rows in the table that they come from, in key order. */
  readonly sources: Uint32Array;
  /** The rows that they become. All are new. */
  readonly rows: Uint32Array;
  readonly firstNew: number;
  readonly #translate: IdTranslation;
  readonly #ids: Uint32Array;
  readonly #numbers: Float64Array;

  constructor(sources: Uint32Array, firstNew: number, translate: IdTranslation) {
    this.sources = sources;
    this.firstNew = firstNew;
    this.rows = Uint32Array.from(sources, (_, at) => firstNew + at);
    this.#translate = translate;
    this.#ids = new Uint32Array(sources.length);
    this.#numbers = new Float64Array(sources.length);
  }

  get count(): number {
    return this.sources.length;
  }

  /** The ids of a column; as they are if they are of no kind, and 0 without a column. */
  ids(kind: IdKind | undefined, column: { readonly values: ArrayLike<number> } | undefined): Uint32Array {
    for (const [at, source] of this.sources.entries()) {
      const stored = column?.values[source] ?? 0;
      this.#ids[at] = stored === 0 || kind === undefined ? stored : this.#translate(kind, stored);
    }
    return this.#ids;
  }

  /** The numbers of a column; NaN without one. */
  numbers(column: { get(row: number): number } | undefined): Float64Array {
    for (const [at, source] of this.sources.entries()) this.#numbers[at] = column?.get(source) ?? Number.NaN;
    return this.#numbers;
  }
}
