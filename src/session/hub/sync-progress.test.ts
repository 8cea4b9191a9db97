// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { rbacResources } from "../../model/rbac-resources.ts";
import type { KindFacts } from "./parsed-request.ts";
import { SyncProgress } from "./sync-progress.ts";

const heartbeatMs = 5_000;
const [first = "", ...others] = rbacResources;

function kind(resource: string, state: KindFacts["state"], facts: Partial<KindFacts> = {}): KindFacts {
  return {
    resource,
    state,
    version: "v1",
    sinceMsAgo: 0,
    currentMsAgo: 0,
    listedMsAgo: 0,
    isComplete: true,
    fault: "",
    verb: "",
    error: "",
    refusedCount: 0,
    refusedError: "",
    leftOutCount: 0,
    overrunMs: 0,
    ...facts,
  };
}

const sentAll = { grantsWait: false };

function progressOf(states: (resource: string) => KindFacts["state"]): SyncProgress {
  const progress = new SyncProgress(heartbeatMs);
  progress.report(
    rbacResources.map((resource) => kind(resource, states(resource))),
    0,
  );
  return progress;
}

function equal(resources: readonly string[] = rbacResources): { readonly equal: readonly string[]; differing: [] } {
  return { equal: resources, differing: [] };
}

test("[SE49] [L2] four watched kinds that are found equal prove the grants, also in messages one after another", () => {
  const progress = progressOf(() => "watching");
  progress.compared(equal(others), sentAll, 0);
  expect(progress.areGrantsProven).toBe(false);
  progress.compared(equal([first]), sentAll, 0);
  expect(progress.areGrantsProven).toBe(true);
  progress.report([kind(first, "failed")], 0);
  expect(progress.areGrantsProven).toBe(false);
});

test("[SE48] [L2] a paused cluster whose roles all wait at the agent is not shown, though nothing sent differs", () => {
  const progress = progressOf(() => "watching");
  progress.compared(equal(), { grantsWait: true }, 0);
  expect(progress.areGrantsProven).toBe(false);
  progress.compared(equal([]), sentAll, 0);
  expect(progress.areGrantsProven).toBe(true);
});

test("[SE49] [L2] a cluster is not shown with roles of before its API server was lost", () => {
  const progress = progressOf((resource) => (resource === first ? "failed" : "watching"));
  progress.compared(equal(), sentAll, 0);
  expect([progress.areGrantsFollowed(0), progress.areGrantsProven]).toEqual([false, false]);
});

test("[SE49] [L2] roles that were found equal while their watch was broken are compared anew once it goes on", () => {
  const progress = progressOf(() => "watching");
  progress.compared(equal([first]), sentAll, 0);
  progress.report([kind(first, "failed")], 0);
  progress.report([kind(first, "watching")], 0);
  progress.compared(equal(others), sentAll, 0);
  expect([progress.areGrantsFollowed(0), progress.areGrantsProven]).toEqual([true, false]);
  progress.compared(equal([first]), sentAll, 0);
  expect(progress.areGrantsProven).toBe(true);
});

test("[SE49] a polled kind counts for two heartbeats after its list", () => {
  const progress = progressOf((resource) => (resource === first ? "polling" : "watching"));
  progress.report([kind(first, "polling", { currentMsAgo: heartbeatMs })], 0);
  progress.compared(equal(), sentAll, heartbeatMs + 1);
  expect(progress.areGrantsProven).toBe(false);
  progress.compared(equal(), sentAll, heartbeatMs);
  expect(progress.areGrantsProven).toBe(true);
});

test("[SE22] a kind that fails does not hold a first sync back", () => {
  const progress = progressOf((resource) => (resource === first ? "failed" : "watching"));
  progress.compared(equal(), sentAll, 0);
  expect(progress.isCaughtUp).toBe(true);
});
