// SPDX-License-Identifier: Apache-2.0
// A management cluster whose objects come and go, lists that are complete or not, imports of users and of others: what
// the plan does to the imports is compared with what a plain reading of the rules allows.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ImportOwner } from "../imports/import-record.ts";
import { type GitopsLeaf, parseGitopsLeaf } from "./gitops-leaf.ts";
import { needsImport, ownerOf, planLeaf } from "./plan-leaf.ts";

const [here, elsewhere] = ["uid-here", "uid-elsewhere"];

/** All of them have the cluster id `a-b-c`. */
const places = [
  ["a", "b-c"],
  ["a-b", "c"],
  ["default", "a-b-c"],
] as const;

function leafAt(place: number, uid: string): GitopsLeaf {
  const [namespace, name] = places[place] ?? places[0];
  const leaf = parseGitopsLeaf({ spec: { secretRef: { name: "s" } } }, { namespace, name, uid });
  if (leaf === undefined) throw new Error("the names are valid");
  return leaf;
}

const place = fc.nat({ max: places.length - 1 });
const uid = fc.constantFrom("1", "2", "3");
const leaves = fc
  .uniqueArray(fc.record({ place, uid }), { selector: (each) => each.place, maxLength: 3 })
  .map((each) => each.map(({ place: at, uid: id }) => leafAt(at, `${at}-${id}`)));
const owner: fc.Arbitrary<ImportOwner | undefined> = fc.option(
  fc.record({ place, uid, management: fc.constantFrom(here, elsewhere) }).map(({ place: at, uid: id, management }) => ({
    ...ownerOf(leafAt(at, `${at}-${id}`), management),
  })),
  { nil: undefined },
);
const known = fc.option(fc.record({ owner }), { nil: undefined });
const listed = fc.subarray(["a", "a-b", "default"]);

test("[L4, Q-23, IN26, IN28] only proven deletions remove, only own imports are changed, and every object has one fate", () => {
  fc.assert(
    fc.property(leaves, known, listed, (declared, stored, complete) => {
      const isListed = (namespace: string): boolean => complete.includes(namespace);
      const { action, refused } = planLeaf({ leaves: declared, known: stored, management: here, isListed });
      const isOwn = stored?.owner?.management === here;
      const exists = declared.some(({ uid: each }) => each === stored?.owner?.uid);
      const isProvenGone = isOwn && !exists && isListed(stored?.owner?.namespace ?? "");

      const removed = action.kind === "remove" ? action.owner : action.kind === "sync" ? action.replaces : undefined;
      expect(removed !== undefined).toBe(isProvenGone);
      if (removed !== undefined) expect(removed).toEqual(stored?.owner);

      const synced = action.kind === "sync" ? [action.leaf] : [];
      if (stored !== undefined && !isOwn) expect(synced).toEqual([]);
      if (isOwn && exists) expect(synced.map((leaf) => leaf.uid)).toEqual([stored?.owner?.uid]);
      if (stored === undefined || isProvenGone) expect(synced).toEqual(declared.slice(0, 1));

      const isWaiting = isOwn && !exists && !isProvenGone;
      expect(action.kind === "wait").toBe(isWaiting);
      const fated = new Set([...synced, ...refused.map(({ leaf }) => leaf)]);
      expect(fated.size).toBe(isWaiting ? 0 : declared.length);
      for (const { reason } of refused) expect(reason).toMatch(/rename/);
    }),
    { numRuns: 500 },
  );
});

test("[IN26] planned and applied again and again, one object has the cluster and keeps it", () => {
  fc.assert(
    fc.property(fc.array(leaves, { minLength: 1, maxLength: 8 }), (moments) => {
      let stored: { owner: ImportOwner } | undefined;
      for (const declared of moments) {
        const before = stored?.owner.uid;
        const { action } = planLeaf({ leaves: declared, known: stored, management: here, isListed: () => true });
        if (action.kind === "remove") stored = undefined;
        if (action.kind === "sync") stored = { owner: ownerOf(action.leaf, here) };
        expect(stored === undefined).toBe(declared.length === 0);
        if (declared.some((leaf) => leaf.uid === before)) expect(stored?.owner.uid).toBe(before);
      }
    }),
    { numRuns: 200 },
  );
});

test("[Q-22] only another kubeconfig, another owner or a missing registration is imported", () => {
  const [one, other] = [ownerOf(leafAt(0, "1"), here), ownerOf(leafAt(0, "2"), here)];
  const stored = { owner: one, kubeconfig: "k1" };
  const wanted = { owner: one, kubeconfig: "k1", isRegistered: true };
  expect(needsImport(stored, wanted)).toBe(false);
  expect(needsImport(stored, { ...wanted, kubeconfig: "k2" })).toBe(true);
  expect(needsImport(stored, { ...wanted, owner: other })).toBe(true);
  expect(needsImport(stored, { ...wanted, isRegistered: false })).toBe(true);
  expect(needsImport(undefined, wanted)).toBe(true);
});
