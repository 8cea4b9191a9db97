// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { BucketDigests, digestOf, emptyDigest } from "./digest.ts";
import { DigestTree } from "./digest-tree.ts";
import { toRowHash } from "./row.ts";

const max = toRowHash(2n ** 64n - 1n);
const one = toRowHash(1n);
const pods = { group: "", resource: "pods" };
const jobs = { group: "batch", resource: "jobs" };

test("[CO44] sums wrap at 64 bits and the count tells two empty sums apart", () => {
  const digests = new BucketDigests(1);
  digests.add(0, max);
  digests.add(0, one);
  expect(digests.get(0)).toEqual({ rowCount: 2, sum: 0n });
  expect(digestOf([max, one])).toEqual({ rowCount: 2, sum: 0n });
  digests.remove(0, max);
  digests.remove(0, one);
  expect(digests.get(0)).toEqual(emptyDigest);
});

test("[CO44] replacing a hash is removing the old and adding the present one", () => {
  const replaced = new BucketDigests(4);
  replaced.add(2, max);
  replaced.replace(2, max, one);
  const fresh = new BucketDigests(4);
  fresh.add(2, one);
  expect(replaced.list()).toEqual(fresh.list());
});

test("a bucket that does not exist is a bug, not a silent loss", () => {
  const digests = new BucketDigests(4);
  expect(() => digests.add(4, one)).toThrow("the bucket is one of this kind's");
  expect(() => digests.get(-1)).toThrow("the bucket is one of this kind's");
});

test("[CO46] walking down from differing roots finds the kind and the bucket that differ, and only those", () => {
  const agent = new DigestTree();
  const hub = new DigestTree();
  for (const tree of [agent, hub]) {
    tree.openKind(pods, 8).add(3, max);
    tree.openKind(jobs, 8).add(1, one);
  }
  expect(agent.root()).toEqual(hub.root());
  agent.getKind(jobs)?.add(5, toRowHash(77n));
  expect(agent.root()).not.toEqual(hub.root());
  expect(agent.differingKinds(hub.listKinds())).toEqual([jobs]);
  expect(hub.differingKinds(agent.listKinds())).toEqual([jobs]);
  expect(agent.getKind(jobs)?.differing(hub.getKind(jobs)?.list() ?? [])).toEqual([5]);
});

test("[CO46] a kind that is unknown to one side differs only if the other has rows of it", () => {
  const agent = new DigestTree();
  const hub = new DigestTree();
  agent.openKind(pods, 8);
  expect(agent.root()).toEqual(hub.root());
  expect(agent.differingKinds(hub.listKinds())).toEqual([]);
  agent.getKind(pods)?.add(0, one);
  expect(hub.differingKinds(agent.listKinds())).toEqual([pods]);
  agent.closeKind(pods);
  expect(agent.root()).toEqual(emptyDigest);
  expect(agent.getKind(pods)).toBeUndefined();
});

test("a kind keeps the number of buckets it was opened with", () => {
  const tree = new DigestTree();
  expect(tree.openKind(pods, 8)).toBe(tree.openKind(pods, 8));
  expect(() => tree.openKind(pods, 16)).toThrow("number of buckets");
});
