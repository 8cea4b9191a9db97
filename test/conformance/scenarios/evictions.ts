// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { makeServiceAccount, mergePatch, pod, podSpec, pods } from "./bodies.ts";

const budgets = "/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets";

function makePod(name: string): Step {
  const body = pod(name, podSpec, { labels: { app: "web" } });
  return { name: `make ${name}`, method: "POST", path: pods, body, pick: ["kind"] };
}

/** A Pod as its kubelet would report it; `ready` is the status of its condition. */
function report(name: string, phase: string, ready = "True"): Step {
  const conditions = [{ type: "Ready", status: ready }];
  return {
    name: `${name} is ${phase}, ready ${ready}`,
    method: "PATCH",
    path: `${pods}/${name}/status`,
    headers: mergePatch,
    body: { status: { phase, conditions } },
    pick: ["status.phase"],
  };
}

function makeBudget(name: string, spec: unknown): Step {
  return { name: `make budget ${name}`, method: "POST", path: budgets, body: { metadata: { name }, spec } };
}

/** The status that the controller would write. */
function count(name: string, what: string, status: unknown): Step {
  return {
    name: `${name} ${what}`,
    method: "PATCH",
    path: `${budgets}/${name}/status`,
    headers: mergePatch,
    body: { status },
    pick: ["status"],
  };
}

function evict(name: string, target: string, more: Partial<Step> & { readonly deleteOptions?: unknown } = {}): Step {
  const { deleteOptions, ...rest } = more;
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: target, namespace: "${ns}" },
    ...(deleteOptions === undefined ? {} : { deleteOptions }),
  };
  return { name, method: "POST", path: `${pods}/${target}/eviction`, body, ...rest };
}

const selector = { matchLabels: { app: "web" } };
const enough = { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };
const show = (name: string): Step => ({ name: `show ${name}`, method: "GET", path: `${budgets}/${name}` });

export const evictions: Topic = {
  name: "evictions",
  scenarios: [
    {
      id: "evictions-with-a-budget",
      steps: [
        makeServiceAccount,
        makePod("a"),
        makePod("b"),
        makePod("c"),
        report("a", "Running"),
        report("b", "Running"),
        makeBudget("web", { minAvailable: 1, selector }),
        evict("before the budget was counted", "a"),
        count("web", "needs all", { ...enough, disruptionsAllowed: 0, currentHealthy: 1 }),
        evict("when all are needed", "a"),
        count("web", "has more and allows none", { ...enough, disruptionsAllowed: 0 }),
        evict("when none is allowed", "a"),
        count("web", "failed to sync", {
          conditions: [
            {
              type: "DisruptionAllowed",
              status: "False",
              reason: "SyncFailed",
              message: "found no controllers",
              lastTransitionTime: "2020-01-01T00:00:00Z",
            },
          ],
        }),
        evict("when the budget failed to sync", "a"),
        count("web", "says why", {
          conditions: [
            {
              type: "DisruptionAllowed",
              status: "False",
              reason: "Frozen",
              message: "change freeze",
              lastTransitionTime: "2020-01-01T00:00:00Z",
            },
          ],
        }),
        evict("when the budget says why", "a"),
        count("web", "allows one", { ...enough, conditions: null }),
        evict("tried by the query", "a", { query: { dryRun: "All" } }),
        evict("tried by the body", "a", { deleteOptions: { dryRun: ["All"] } }),
        evict("tried by both", "a", { query: { dryRun: "All" }, deleteOptions: { dryRun: ["All"] } }),
        evict("tried in another way", "a", { query: { dryRun: "None" } }),
        { name: "a is there", method: "GET", path: `${pods}/a`, pick: ["status.conditions"] },
        show("web"),
        evict("of another incarnation", "a", { deleteOptions: { preconditions: { uid: "other" } } }),
        { ...show("web"), name: "show web after the refusal" },
        count("web", "allows one again", { ...enough, conditions: null, disruptedPods: null }),
        evict("allowed", "a", { deleteOptions: { gracePeriodSeconds: 0 } }),
        { name: "a is gone", method: "GET", path: `${pods}/a` },
        { ...show("web"), name: "show web after it" },
        evict("once more", "b"),
        report("b", "Running", "False"),
        evict("of one that is not ready, where the others are enough", "b", {
          deleteOptions: { gracePeriodSeconds: 0 },
        }),
        evict("of one that has not begun", "c", { deleteOptions: { gracePeriodSeconds: 0 } }),
      ],
    },
    {
      id: "evictions-of-the-unhealthy",
      steps: [
        makeServiceAccount,
        makePod("a"),
        makePod("b"),
        makePod("d"),
        makePod("e"),
        report("a", "Running", "False"),
        report("b", "Running", "False"),
        report("d", "Failed", "False"),
        makeBudget("web", { minAvailable: 2, selector }),
        count("web", "has too few", { ...enough, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2 }),
        evict("of one that is not ready, where too few are", "a"),
        {
          name: "always allow it",
          method: "PATCH",
          path: `${budgets}/web`,
          headers: mergePatch,
          body: { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } },
          pick: ["spec", "metadata.generation"],
        },
        evict("of one that is not ready, always allowed", "a"),
        { name: "a is going", method: "GET", path: `${pods}/a`, wait: { status: 404 } },
        evict("of one that failed", "d", { deleteOptions: { gracePeriodSeconds: 0 } }),
        report("e", "Running"),
        evict("by another generation", "e"),
        makeBudget("second", { maxUnavailable: 1, selector: {} }),
        evict("by two budgets", "e"),
        evict("of one that is not there", "none"),
        { ...evict("with another name", "e"), body: { metadata: { name: "b" } } },
        { ...evict("without a name", "e"), body: {} },
        { ...evict("in another namespace", "e"), body: { metadata: { name: "e", namespace: "other" } } },
        evict("by bob", "e", { as: "bob" }),
      ],
    },
    {
      id: "evictions-without-a-budget",
      steps: [
        makeServiceAccount,
        {
          name: "make a",
          method: "POST",
          path: pods,
          body: pod("a", { ...podSpec, nodeName: "n" }, { labels: { app: "other" } }),
          pick: ["kind"],
        },
        report("a", "Running"),
        makeBudget("web", { minAvailable: 1, selector }),
        evict("with a stale resourceVersion", "a", { deleteOptions: { preconditions: { resourceVersion: "1" } } }),
        evict("of a Pod that no budget selects", "a", { deleteOptions: { gracePeriodSeconds: 20 } }),
        { name: "show a", method: "GET", path: `${pods}/a` },
        evict("of one that is going", "a"),
      ],
    },
  ],
};
