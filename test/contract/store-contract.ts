// SPDX-License-Identifier: Apache-2.0
// The rules of docs/spec/store.md that every engine of the Store keeps. A new engine passes this suite before it is
// used.
import { describe } from "vitest";
import type { OpenSharedStore } from "../support/store-shared.ts";
import type { OpenStore } from "../support/store-under-test.ts";
import { describeCommits } from "./store/commits-contract.ts";
import { describeCompaction } from "./store/compaction-contract.ts";
import { describeLeases } from "./store/leases-contract.ts";
import { describeLifetime } from "./store/lifetime-contract.ts";
import { describeLists } from "./store/lists-contract.ts";
import { describeRows } from "./store/rows-contract.ts";
import { describeSharedStore } from "./store/shared-contract.ts";
import { describeWatches } from "./store/watches-contract.ts";

/** Runs the suite over one way to open a store; each test opens its own, empty one. */
export function describeStoreContract(name: string, open: OpenStore): void {
  describe(name, () => {
    describe("rows", () => describeRows(open));
    describe("commits", () => describeCommits(open));
    describe("lists", () => describeLists(open));
    describe("watches", () => describeWatches(open));
    describe("compaction", () => describeCompaction(open));
    describe("leases", () => describeLeases(open));
    describe("lifetime", () => describeLifetime(open));
  });
}

/** The rules for stores that several processes write to, over one way to open two of them. */
export function describeSharedStoreContract(name: string, open: OpenSharedStore): void {
  describe(name, () => describeSharedStore(open));
}
