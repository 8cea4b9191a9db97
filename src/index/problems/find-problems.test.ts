// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { kustomizationKind } from "../../kinds/flux/kustomization-kind.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import { type BuiltRow, buildFleet, builtRow, finish, seesAll, testHasher } from "../relations/testing/built-fleet.ts";
import { findProblems, type ProblemsRequest } from "./find-problems.ts";
import type { Problem } from "./problem.ts";
import { problemTitle } from "./problem-title.ts";
import { lostNodeRow, workloadRows } from "./testing/failing-workloads.ts";

const pulling = { reason: "ImagePullBackOff", message: 'Back-off pulling image "shop/api:1.4"' };
const crashing = (seconds: string, suffix: string) => ({
  reason: "CrashLoopBackOff",
  message: `back-off ${seconds} restarting failed container=web pod=web-7c9d8b6f5-${suffix}_shop(6f1a1c5e-6c0e-4e0f-9d0c-2f6f0c0f0a01)`,
});

function problemsOf(rows: readonly BuiltRow[], more: Partial<ProblemsRequest> = {}): readonly Problem[] {
  const request = { visibilityOf: seesAll, hasher: testHasher, limit: 100, ...more };
  return finish(findProblems(buildFleet(rows), request)).problems;
}

const clusterNames = Array.from({ length: 9 }, (_, at) => `leaf-${at + 1}`);

describe("problems", () => {
  test("[Q-3] [PB2, PB3] an image that nine clusters cannot pull is one problem, with the Pods' reason", () => {
    const rows = clusterNames.flatMap((cluster, at) =>
      workloadRows({
        cluster,
        name: "api",
        namespace: at % 2 === 0 ? "shop" : "shop-eu",
        podCount: at === 0 ? 5 : 4,
        // The kubelet alternates between the two reasons, and not every rollout has timed out yet.
        waiting: at % 3 === 0 ? { reason: "ErrImagePull", message: `rpc error ${at}` } : pulling,
        isTimedOut: at % 2 === 0,
      }),
    );
    const [problem, ...others] = problemsOf(rows);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      kind: "Pod",
      reason: "ImagePullBackOff",
      image: "shop/api:1.4",
      status: "unhealthy",
      clusterCount: 9,
      namespaceCount: 9,
      objectCount: 46,
      sinceMs: Date.UTC(2026, 0, 5, 10),
      kindCounts: [
        { kind: "Pod", count: 37 },
        { kind: "Deployment", count: 9 },
      ],
      rootCount: 9,
    });
    if (problem === undefined) return;
    expect(problem.roots.map(({ resource, name }) => `${resource} ${name}`)).toEqual(
      clusterNames.map(() => "apps/deployments api"),
    );
    expect(problemTitle(problem)).toBe("ImagePullBackOff shop/api:1.4: 37 Pods, 9 clusters");
    expect(problem.objects).toHaveLength(10);
  });

  test("[PB3] crash loops of one workload are one problem, those of two workloads are two", () => {
    const rows = [
      ...workloadRows({ cluster: "leaf-1", name: "web", podCount: 2, waiting: crashing("5m0s", "x2x4z") }),
      ...workloadRows({ cluster: "leaf-2", name: "web", podCount: 1, waiting: crashing("40s", "b7k9d") }),
      ...workloadRows({ cluster: "leaf-2", name: "cart", podCount: 1, waiting: crashing("40s", "b7k9d") }),
    ];
    expect(problemsOf(rows).map((problem) => problemTitle(problem))).toEqual([
      "CrashLoopBackOff web: 3 Pods, 2 clusters",
      "CrashLoopBackOff cart: 1 Pod, 1 cluster",
    ]);
  });

  test("[PB2, PB3] [L17] without its ReplicaSet a Pod is a cause itself, and the workload has the same name", () => {
    const rows = [
      ...workloadRows({ cluster: "leaf-1", name: "web", podCount: 2, waiting: crashing("5m0s", "x2x4z") }),
      ...workloadRows({ cluster: "leaf-2", name: "web", podCount: 2, waiting: crashing("5m0s", "x2x4z") }),
    ];
    const hidesReplicaSets = (cluster: string, resource: string): Visibility =>
      cluster === "leaf-2" && resource === "apps/replicasets" ? { kind: "none" } : { kind: "all" };
    const titles = problemsOf(rows, { visibilityOf: hidesReplicaSets }).map((problem) => ({
      title: problemTitle(problem),
      rootCount: problem.rootCount,
    }));
    expect(titles).toEqual([
      { title: "CrashLoopBackOff web: 4 Pods, 2 clusters", rootCount: 3 },
      { title: "NoneAvailable web: 1 Deployment, 1 cluster", rootCount: 1 },
    ]);
  });

  test("[PB3] failures of objects without a workload are grouped by their message", () => {
    const failing = (cluster: string, name: string, message: string): BuiltRow =>
      builtRow(cluster, kustomizationKind, {
        metadata: { name, namespace: "flux-system", uid: `${cluster}-${name}`, generation: 2 },
        spec: { path: "./apps" },
        status: {
          observedGeneration: 2,
          conditions: [{ type: "Ready", status: "False", reason: "HealthCheckFailed", message }],
        },
      });
    const rows = clusterNames.flatMap((cluster, at) => [
      failing(cluster, "apps", `timeout waiting for: [Deployment/shop/web-${at} status: 'InProgress'] after ${at}m30s`),
      failing(cluster, "infra", "There was a problem!"),
    ]);
    const problems = problemsOf(rows);
    expect(problems.map((problem) => problemTitle(problem))).toEqual(
      Array.from({ length: 2 }, () => "HealthCheckFailed: 9 Kustomizations, 9 clusters"),
    );
    expect(problems.map(({ message }) => message).sort()).toEqual([
      "There was a problem!",
      "timeout waiting for: [Deployment/shop/web-<n> status: <name>] after <duration>",
    ]);
  });

  test("[PB5] Pods that were lost with their Node are the Node's problem, Pods that failed before are not", () => {
    const rows = [
      lostNodeRow("leaf-1", "node-b"),
      ...workloadRows({ cluster: "leaf-1", name: "web", podCount: 2, lostNode: "node-b" }),
      ...workloadRows({ cluster: "leaf-1", name: "cart", podCount: 1, waiting: crashing("40s", "b7k9d") }),
    ];
    const [lost, ...others] = problemsOf(rows, { withDegraded: true });
    expect(lost).toMatchObject({
      kind: "Node",
      reason: "NodeStatusUnknown",
      rootCount: 1,
      roots: [{ cluster: "leaf-1", resource: "nodes", name: "node-b" }],
      kindCounts: [
        { kind: "Pod", count: 2 },
        { kind: "Deployment", count: 1 },
        { kind: "Node", count: 1 },
      ],
    });
    expect(others.map((problem) => problemTitle(problem))).toEqual(["CrashLoopBackOff cart: 1 Pod, 1 cluster"]);
    const hidesNodes = (_cluster: string, resource: string): Visibility =>
      resource === "nodes" ? { kind: "none" } : { kind: "all" };
    const visible = problemsOf(rows, { withDegraded: true, visibilityOf: hidesNodes });
    expect(visible.map((problem) => problemTitle(problem)).sort()).toEqual([
      "CrashLoopBackOff cart: 1 Pod, 1 cluster",
      "NotReady web: 2 Pods, 1 cluster",
    ]);
  });

  test("[PB5] a workload that also fails for another reason is not the Node's problem", () => {
    const lost = workloadRows({ cluster: "leaf-1", name: "web", podCount: 1, lostNode: "node-b" });
    const failing = workloadRows({ cluster: "leaf-1", name: "web", podCount: 2, waiting: crashing("40s", "b7k9d") });
    const rows = [lostNodeRow("leaf-1", "node-b"), ...lost, ...failing.slice(3)];
    expect(problemsOf(rows, { withDegraded: true }).map((problem) => problemTitle(problem))).toEqual([
      "CrashLoopBackOff web: 2 Pods, 1 cluster",
      "NodeStatusUnknown node-b: 1 Node, 1 cluster",
    ]);
  });

  test("[PB5] a Deployment whose only Pods were lost with their Node is the Node's problem, though they are degraded", () => {
    const rows = [
      lostNodeRow("leaf-1", "node-b"),
      ...workloadRows({ cluster: "leaf-1", name: "web", podCount: 2, lostNode: "node-b" }),
    ];
    expect(problemsOf(rows)).toMatchObject([
      {
        kind: "Node",
        rootCount: 1,
        kindCounts: [
          { kind: "Deployment", count: 1 },
          { kind: "Node", count: 1 },
        ],
      },
    ]);
    const failing = workloadRows({ cluster: "leaf-1", name: "web", podCount: 2, waiting: crashing("40s", "b7k9d") });
    const withOther = [...rows.slice(0, -1), ...failing.slice(-1)];
    const selectsWorkloads = (_cluster: string, resource: string): "all" | "none" =>
      resource === "pods" ? "none" : "all";
    expect(problemsOf(withOther, { selectionOf: selectsWorkloads }).map((problem) => problemTitle(problem))).toEqual([
      "NodeStatusUnknown node-b: 1 Node, 1 cluster",
      "NoneAvailable web: 1 Deployment, 1 cluster",
    ]);
  });

  test("[PB1] degraded objects count only if they are asked for", () => {
    const rows = workloadRows({ cluster: "leaf-1", name: "web", podCount: 2, lostNode: "node-b" });
    expect(problemsOf(rows).map(({ objectCount }) => objectCount)).toEqual([1]);
    expect(problemsOf(rows, { withDegraded: true }).map(({ objectCount }) => objectCount)).toEqual([3]);
  });

  test("[PB1] only clusters and objects that a query selects are looked at", () => {
    const rows = clusterNames.flatMap((cluster) =>
      workloadRows({ cluster, name: "api", podCount: 2, waiting: pulling }),
    );
    const [some] = problemsOf(rows, { clusters: ["leaf-3", "leaf-2", "unheard-of"] });
    expect(some?.objects.map(({ cluster }) => cluster)).toEqual([
      "leaf-2",
      "leaf-2",
      "leaf-2",
      "leaf-3",
      "leaf-3",
      "leaf-3",
    ]);
    const [pods] = problemsOf(rows, { selectionOf: (_cluster, resource) => (resource === "pods" ? "all" : "none") });
    expect(pods?.kindCounts).toEqual([{ resource: "pods", kind: "Pod", count: 18 }]);
  });

  test.each([0, 1.5, 1_001, Number.NaN])("[PB6] a limit of %s is refused", (limit) => {
    expect(() => problemsOf([], { limit })).toThrow("the limit must be an integer from 1 to 1000");
  });
});

test("[PB8] [L2] a cluster that changes between two steps is read again, and the answer is of one moment", () => {
  const rows = workloadRows({ cluster: "leaf-1", name: "api", podCount: 1_100, waiting: pulling });
  const fleet = buildFleet(rows);
  const request = { visibilityOf: seesAll, hasher: testHasher, limit: 100 };
  const running = findProblems(fleet, request);
  let [changeCount, answer] = [0, running.next()];
  for (; answer.done !== true; answer = running.next()) {
    // Every removal moves another row into the gap.
    const gone = rows[changeCount + 2];
    if (gone !== undefined) fleet.remove(gone);
    changeCount += 1;
  }
  const now = finish(findProblems(fleet, request));
  expect(changeCount).toBeGreaterThan(2);
  expect(now.objectCount).toBe(1_101 - changeCount);
  // The last step comes after the cluster was read.
  expect(answer.value.objectCount).toBe(now.objectCount + 1);
});
