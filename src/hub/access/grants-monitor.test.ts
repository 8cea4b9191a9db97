// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import type { KindFreshness } from "../../health/kind-freshness.ts";
import type { GrantsDrift } from "../../index/access/judge-grants.ts";
import { rbacResources } from "../../model/rbac-resources.ts";
import { GrantsMonitor } from "./grants-monitor.ts";

const [firstRbac = ""] = rbacResources;

function fresh(resource: string, ageMs: number | undefined): KindFreshness {
  return { resource, state: "watching", isCurrent: ageMs === 0, ageMs, fault: "", text: "" };
}

/** A monitor of the cluster `a` with kinds of these ages. */
function watch(start: readonly KindFreshness[]) {
  const drift: GrantsDrift = "none";
  const state = {
    kinds: start,
    isRbacComplete: true,
    clusters: ["a"],
    drift: drift as GrantsDrift,
    areGrantsCurrent: true,
    isConnected: true,
  };
  const calls: boolean[] = [];
  const lagging = { isStored: false };
  const monitor = new GrantsMonitor({
    clock: new ManualClock(),
    health: { kinds: () => state.kinds },
    clusters: () => state.clusters,
    isRbacComplete: () => state.isRbacComplete,
    areGrantsCurrent: () => state.areGrantsCurrent,
    isConnected: () => state.isConnected,
    lag: { has: () => lagging.isStored, set: (_cluster, isBehind) => void (lagging.isStored = isBehind) },
    evidence: { of: () => ({ authorizers: "rbac", drift: state.drift }) },
    mode: "rbacFirst",
    setWithheld: (_cluster, isWithheld) => void calls.push(isWithheld),
  });
  return { state, calls, monitor, lagging };
}

test("[RB85] grants that were behind in an earlier run withhold the rows until a session shows that they are current", () => {
  const { state, calls, monitor, lagging } = watch([]);
  lagging.isStored = true;
  state.areGrantsCurrent = false;
  monitor.judgeAll();
  expect(calls).toEqual([true]);
  expect(monitor.of("a")).toMatchObject({ cause: "grantsBehind", reason: expect.stringContaining("an unknown time") });
  // The cluster is away as a whole, and its rows are listed before its RBAC objects.
  for (const kinds of [[], [fresh("pods", 900_000)], [fresh("pods", 0), fresh(firstRbac, 10_000)]]) {
    state.kinds = kinds;
    monitor.judgeAll();
  }
  expect([calls, lagging.isStored]).toEqual([[true], true]);
  state.kinds = [fresh("pods", 0), fresh(firstRbac, 0)];
  state.areGrantsCurrent = true;
  monitor.judgeAll();
  expect([calls, lagging.isStored]).toEqual([[true, false], false]);
  // What a hub knew when its session ended is not stored: the agent may have a session with another hub.
  state.isConnected = false;
  state.kinds = [fresh("pods", 0), fresh(firstRbac, 200_000)];
  monitor.judgeAll();
  expect(lagging.isStored).toBe(false);
});

test("[Q-43] [L17] rows are withheld while the grants alone are more than 150 s behind, and shown again afterwards", () => {
  const { state, calls, monitor } = watch([fresh("pods", 0), ...rbacResources.map((each) => fresh(each, 0))]);
  monitor.judgeAll();
  expect(calls).toEqual([]);
  state.kinds = [fresh("pods", 0), fresh(firstRbac, 149_999)];
  monitor.judgeAll();
  expect(calls).toEqual([]);
  state.kinds = [fresh("pods", 0), fresh(firstRbac, 150_000)];
  monitor.judgeAll();
  expect(calls).toEqual([true]);
  expect(monitor.of("a")).toMatchObject({ kind: "withheld", cause: "grantsBehind" });
  monitor.judgeAll();
  state.kinds = [fresh("pods", 0), fresh(firstRbac, 0)];
  monitor.judgeAll();
  expect(calls).toEqual([true, false]);
});

test("[L9] [L17] a cluster that is away as a whole stays shown: its rows and grants are of one moment", () => {
  const { calls, monitor } = watch([fresh("pods", 900_000), fresh(firstRbac, 900_000)]);
  monitor.judgeAll();
  expect(calls).toEqual([]);
  expect(monitor.of("a")).toEqual({ kind: "open" });
});

test("[Q-40] a cluster without complete RBAC rows is judged so, and a removed one is withheld no longer", () => {
  const { state, calls, monitor } = watch([fresh("pods", 0), fresh(firstRbac, 200_000)]);
  monitor.judgeAll();
  state.isRbacComplete = false;
  expect(monitor.of("a")).toMatchObject({ cause: "rbacIncomplete" });
  state.clusters = [];
  monitor.judgeAll();
  expect(calls).toEqual([true, false]);
});

test("[L17] a cluster that denies what its RBAC objects allow is withheld until both agree again", () => {
  const { state, calls, monitor } = watch([fresh("pods", 0), fresh(firstRbac, 0)]);
  state.drift = "shownButDenied";
  monitor.judgeAll();
  state.drift = "hiddenButAllowed";
  monitor.judgeAll();
  expect(calls).toEqual([true, false]);
  expect(monitor.of("a")).toMatchObject({ kind: "open", cause: "hiddenButAllowed" });
});
