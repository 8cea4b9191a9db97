// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** Rows of one page: the most that a hub returns. */
export const maxPageSize = 500;

/** A page of any answer that is read by cursor. */
interface CursorPage {
  /** "" after the last page. */
  readonly next: string;
}

/**
 * Reads an answer page by page until `limit` elements, 0 for all. `load` reads one page of at most `size` elements.
 * Only one page is held at a time. Throws MALFORMED if the hub repeats a cursor, which would never end.
 */
export async function* readPages<Page extends CursorPage>(
  limit: number,
  load: (cursor: string, size: number) => Promise<Page>,
  countOf: (page: Page) => number,
): AsyncGenerator<Page, void, undefined> {
  let cursor = "";
  let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  do {
    const page = await load(cursor, Math.min(left, maxPageSize));
    if (page.next !== "" && page.next === cursor)
      throw new FlotillaError("MALFORMED", "the hub sent the same page twice");
    yield page;
    cursor = page.next;
    left -= countOf(page);
  } while (cursor !== "" && left > 0);
}
