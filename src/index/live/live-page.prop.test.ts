// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toRowHash } from "../../model/rows/row.ts";
import { diffPages, isSameState, type LiveEntry, type LivePage } from "./live-page.ts";
import { ShownPage } from "./testing/shown-page.ts";

const entry = fc
  .record({ name: fc.constantFrom("a", "b", "c", "d", "e", "f"), hash: fc.nat(1), troubled: fc.option(fc.nat(1)) })
  .map(({ name, hash, troubled }): LiveEntry => {
    const key = { cluster: "east", resource: "pods", namespace: "a", name };
    return { key, rowHash: toRowHash(BigInt(hash)), troubledSinceMs: troubled ?? undefined };
  });
/** Entries in any order, each key once. */
const anyPage: fc.Arbitrary<LivePage> = fc.uniqueArray(entry, { selector: ({ key }) => key.name });

test("[QL17] applying the difference of two pages to the older one gives the newer one", () => {
  fc.assert(
    fc.property(anyPage, anyPage, (before, after) => {
      const shown = new ShownPage<LiveEntry>(({ key }) => key);
      shown.rows = before;
      const { entries, places, left } = diffPages(before, after);
      shown.apply({ isSnapshot: false, rows: entries, places, left });
      expect(shown.rows).toEqual(after);
    }),
  );
});

test("[QL17] two states are the same if nothing in them differs", () => {
  fc.assert(
    fc.property(anyPage, anyPage, fc.nat(1), fc.nat(1), (before, after, total, otherTotal) => {
      const isSame = isSameState({ page: before, total, facets: [] }, { page: after, total: otherTotal, facets: [] });
      const { entries, left } = diffPages(before, after);
      expect(isSame).toBe(total === otherTotal && entries.length === 0 && left.length === 0);
    }),
  );
});
