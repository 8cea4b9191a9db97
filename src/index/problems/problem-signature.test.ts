// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { podKind } from "../../kinds/pod-kind.ts";
import { type BuiltRow, buildFleet, builtRow, finish, seesAll, testHasher } from "../relations/testing/built-fleet.ts";
import { findProblems } from "./find-problems.ts";
import type { Problem } from "./problem.ts";

interface FailingPod {
  readonly cluster?: string;
  readonly name: string;
  readonly owner?: readonly [kind: string, name: string];
  readonly labels?: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly reason?: string;
  readonly message?: string;
}

function pod({
  cluster = "east",
  name,
  owner,
  labels,
  image = "app:1",
  reason = "CrashLoopBackOff",
  message = "",
}: FailingPod): BuiltRow {
  const ownerReferences =
    owner === undefined
      ? []
      : [{ apiVersion: "v1", kind: owner[0], name: owner[1], uid: "not in the index", controller: true }];
  return builtRow(cluster, podKind, {
    metadata: { name, namespace: "shop", uid: `uid of ${name}`, labels, ownerReferences },
    spec: { initContainers: [{ name: "init", image: "init:1" }], containers: [{ name: "app", image }] },
    status: {
      phase: "Pending",
      initContainerStatuses: [{ name: "init", state: { terminated: { exitCode: 0, reason: "Completed" } } }],
      containerStatuses: [{ name: "app", state: { waiting: { reason, message } } }],
    },
  });
}

function problemsOf(...pods: readonly FailingPod[]): readonly Problem[] {
  const request = { visibilityOf: seesAll, hasher: testHasher, limit: 10 };
  return finish(findProblems(buildFleet(pods.map(pod)), request)).problems;
}

test.each<readonly [string, string, FailingPod]>([
  [
    "a ReplicaSet with a hash",
    "web",
    { name: "web-7c9d-x", owner: ["ReplicaSet", "web-7c9d"], labels: { "pod-template-hash": "7c9d" } },
  ],
  ["a ReplicaSet without a hash", "web-front", { name: "web-front-x", owner: ["ReplicaSet", "web-front"] }],
  ["a Job of a CronJob", "backup", { name: "backup-28912345-x", owner: ["Job", "backup-28912345"] }],
  ["a Node, for a static Pod", "kube-proxy", { name: "kube-proxy-node-a", owner: ["Node", "node-a"] }],
  ["a StatefulSet", "db-1", { name: "db-1-0", owner: ["StatefulSet", "db-1"] }],
  ["nothing", "", { name: "debug" }],
])("[PB3] the workload of a Pod that is owned by %s is '%s'", (_, template, failing) => {
  expect(problemsOf(failing)).toMatchObject([{ template, kind: "Pod", objectCount: 1 }]);
});

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

test.each([
  ["shop/api:1.4", "shop/api:1.4"],
  [`shop/api:1.4@${digest}`, "shop/api:1.4"],
  [`shop/api@${digest}`, "shop/api@sha256:0123456789ab"],
  ["Not An Image", "Not An Image"],
])("[PB3] the image %s is shown as %s", (image, shown) => {
  expect(problemsOf({ name: "a", image, reason: "ErrImagePull" })).toMatchObject([
    { image: shown, reason: "ImagePullBackOff", message: "", template: "" },
  ]);
});

test("[PB3] one image that cannot be pulled is one problem, whichever workload and message", () => {
  const [problem, ...others] = problemsOf(
    { name: "a", owner: ["StatefulSet", "a"], reason: "ImagePullBackOff", message: "back-off" },
    { name: "b", owner: ["DaemonSet", "b"], reason: "ErrImagePull", message: "rpc error: code = NotFound" },
    { cluster: "west", name: "c", reason: "ErrImagePull", message: "unauthorized" },
  );
  expect(problem).toMatchObject({ objectCount: 3, clusterCount: 2, image: "app:1" });
  expect(others).toEqual([]);
});

test("[PB3] an id stays the same in every answer", () => {
  expect(problemsOf({ name: "a", reason: "ErrImagePull" })[0]?.id).toBe("c04042e08042aba9");
});
