// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import type { StoredRow } from "./row-statements.ts";

/**
 * Merges the rows that have not changed since R with the old versions of those that have. Both inputs are in key order,
 * and no key is in both: a row is either still at a revision up to R or was replaced after it.
 */
export function* listAsOf(current: Iterable<StoredRow>, undone: Iterable<StoredRow>): Generator<StoredRow> {
  const waiting = undone[Symbol.iterator]();
  try {
    let other = waiting.next();
    for (const row of current) {
      for (; other.done !== true && compareUtf8(other.value.key, row.key) < 0; other = waiting.next())
        yield other.value;
      yield row;
    }
    for (; other.done !== true; other = waiting.next()) yield other.value;
  } finally {
    // A page that ends early must close its statement: an open read pins the write-ahead log.
    waiting.return?.();
  }
}
