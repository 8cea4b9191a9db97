// SPDX-License-Identifier: Apache-2.0
// A reader of live updates: what a client does with them.
import type { QueryKey } from "../../query/query-request.ts";
import { keyText } from "../live-page.ts";

/** An update as a client applies it. */
export interface AppliedUpdate<Row> {
  readonly isSnapshot: boolean;
  readonly rows: readonly Row[];
  readonly places: readonly number[];
  readonly left: readonly QueryKey[];
}

/** Removes what left or comes again, then inserts each row at its place. Throws if an update names rows it cannot. */
export class ShownPage<Row> {
  readonly #keyOf: (row: Row) => QueryKey;
  rows: readonly Row[] = [];

  constructor(keyOf: (row: Row) => QueryKey) {
    this.#keyOf = keyOf;
  }

  apply({ isSnapshot, rows, places, left }: AppliedUpdate<Row>): void {
    const shown = new Set(this.rows.map((row) => keyText(this.#keyOf(row))));
    const gone = left.map(keyText);
    if (!isSnapshot && gone.some((text) => !shown.has(text))) throw new Error("a row left that was not shown");
    const removed = new Set([...gone, ...rows.map((row) => keyText(this.#keyOf(row)))]);
    const page = isSnapshot ? [] : this.rows.filter((row) => !removed.has(keyText(this.#keyOf(row))));
    for (const [at, row] of rows.entries()) {
      const place = places[at] ?? -1;
      if (place < 0 || place > page.length) throw new Error("a row has no place on the page");
      page.splice(place, 0, row);
    }
    this.rows = page;
  }
}
