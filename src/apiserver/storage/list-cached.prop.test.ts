// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { listed, TestStorage } from "../../../test/support/api-storage.ts";

const names = ["a", "a-", "a.b", "ab", "b"];
const namespaces = ["n", "n-1", "m"];

const arbitraryWrite = fc.record({
  name: fc.constantFrom(...names),
  namespace: fc.constantFrom(...namespaces),
  kind: fc.constantFrom("put", "put", "delete"),
  value: fc.nat(3),
});

/** All objects at a moment, as `name@revision` in key order: bytes of the namespace, then of the name. */
function snapshot(model: ReadonlyMap<string, string>, namespace: string | undefined): readonly string[] {
  return [...model]
    .filter(([key]) => namespace === undefined || key.startsWith(`${namespace}\u0000`))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, version]) => version);
}

test("[AP5] pages as of any revision, with writes between them, equal what was there at that revision", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryWrite, { minLength: 1, maxLength: 20 }),
      fc.array(arbitraryWrite, { maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(undefined, ...namespaces),
      async (writes, between, limit, namespace) => {
        await using storage = await TestStorage.open();
        const model = new Map<string, string>();
        const moments = new Map<number, readonly string[]>();
        for (const write of writes) {
          const key = `${write.namespace}\u0000${write.name}`;
          if (write.kind === "put") {
            const revision = await storage.put({ ...write, value: `${write.value}` });
            model.set(key, `${write.name}@${revision}`);
          } else {
            await storage.remove(write.name, write.namespace);
            model.delete(key);
          }
          moments.set(storage.revision, snapshot(model, namespace));
        }
        for (const [revision, expected] of moments) {
          if (revision === 0) continue;
          const found: string[] = [];
          let query = `limit=${limit}&resourceVersion=${revision}&resourceVersionMatch=Exact`;
          for (let pageCount = 0; query !== ""; pageCount += 1) {
            const page = await storage.page(query, namespace);
            expect(page.revision).toBe(revision);
            expect(page.items.length).toBeLessThanOrEqual(limit);
            found.push(...listed(page));
            query = page.continueToken === undefined ? "" : `limit=${limit}&continue=${page.continueToken}`;
            const write = between[pageCount];
            if (write !== undefined) await storage.put({ ...write, value: `between ${storage.revision}` });
          }
          expect(found).toEqual(expected);
        }
      },
    ),
    { numRuns: 100 },
  );
});
