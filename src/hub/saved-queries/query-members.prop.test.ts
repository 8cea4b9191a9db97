// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addBucket, clusterMark, compareMembers, isOfCluster, memberIdOf, toBuckets } from "./query-members.ts";

const anyObject = fc.record({
  cluster: fc.constantFrom("east", "west", "north"),
  resource: fc.constantFrom("pods", "apps/deployments"),
  namespace: fc.constantFrom("", "shop"),
  name: fc.constantFrom("a", "b", "c", "d", "e"),
});
const anySet = fc.uniqueArray(anyObject, { maxLength: 30, selector: (object) => JSON.stringify(object) });

test("[SQ11] [L4] the next members are the found ones and the stored ones of unread clusters; all others have left", () => {
  fc.assert(
    fc.property(anySet, anySet, fc.subarray(["east", "west", "north"]), (before, now, unread) => {
      const shown = now.filter(({ cluster }) => !unread.includes(cluster));
      const [stored, found] = [new Set(before.map(memberIdOf)), new Set(shown.map(memberIdOf))];
      const { entered, left, members } = compareMembers(stored, found, new Set(unread.map(clusterMark)));
      const kept = before.filter(({ cluster }) => unread.includes(cluster)).map(memberIdOf);
      expect(members).toEqual(new Set([...found, ...kept]));
      expect(new Set(entered)).toEqual(found.difference(stored));
      expect(new Set(left)).toEqual(stored.difference(new Set(members)));
      expect([...stored].every((id) => members.has(id) || left.includes(id))).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test("[SQ13] members come back from their rows, and ids of two objects differ", () => {
  fc.assert(
    fc.property(anySet, (all) => {
      const members = new Set(all.map(memberIdOf));
      expect(members.size).toBe(all.length);
      const back = new Set<string>();
      for (const [name, body] of toBuckets(members)) addBucket(back, name, body);
      expect(back).toEqual(members);
    }),
    { numRuns: 50 },
  );
  expect(() => addBucket(new Set(), "members-00", new Uint8Array(13))).toThrow("corrupt");
});

test("the mark of a cluster is the beginning of its ids, and of those of no other", () => {
  const id = memberIdOf({ cluster: "east", resource: "pods", namespace: "shop", name: "a" });
  expect(id).toMatch(/^[0-9a-f]{24}$/);
  expect(isOfCluster(id, new Set([clusterMark("east")]))).toBe(true);
  expect(isOfCluster(id, new Set([clusterMark("west")]))).toBe(false);
});
