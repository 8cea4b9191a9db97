// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { podKind } from "./pod-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";
import { samplePod } from "./testing/sample-workloads.ts";

const at = (second: number): string => `2026-01-05T10:00:${String(second).padStart(2, "0")}Z`;
const started = { running: { startedAt: at(5) } };
const crashing = { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s restarting failed container" } };

function pod(status: object, spec: object = {}): object {
  const metadata = { name: "web-1", namespace: "shop", labels: { app: "web" } };
  return { metadata, spec: { containers: [{ name: "web", image: "web:1" }], ...spec }, status };
}

/** A Pod in phase Running whose container has this state. */
function running(container: object, ready: object = { status: "False" }): object {
  const conditions = [
    { type: "Ready", reason: "ContainersNotReady", message: "containers with unready status: [web]", ...ready },
  ];
  return pod({ phase: "Running", conditions, containerStatuses: [{ name: "web", ...container }] });
}

/** A Pod in phase Pending with its container waiting for this. */
function waiting(reason: string, message?: string): object {
  return pod({ phase: "Pending", containerStatuses: [{ name: "web", state: { waiting: { reason, message } } }] });
}

describe("a Pod's row", () => {
  test("has phase, readiness, restarts, node, addresses and containers", () => {
    const row = rowOf(podKind, samplePod("x"));
    const image = (name: string): string => `registry.example/shop/${name}:1.4.2`;
    expect(Object.fromEntries(row.columns)).toEqual({
      phase: "Running",
      printStatus: "CrashLoopBackOff",
      ready: "2/3",
      restarts: 7,
      lastRestartAt: Date.parse("2026-01-05T10:30:00Z"),
      node: "node-a",
      podIps: ["10.1.0.7", "fd00::7"],
      qos: "Burstable",
      initContainers: [
        `{"name":"migrate","image":"${image("migrate")}","ready":false,"restarts":0,"state":"terminated","reason":"Completed","exitCode":0}`,
        `{"name":"proxy","image":"${image("proxy")}","ready":true,"restarts":0,"state":"running"}`,
      ],
      containers: [
        `{"name":"web","image":"${image("web")}","ready":true,"restarts":0,"state":"running"}`,
        `{"name":"log","image":"${image("log")}","ready":false,"restarts":7,"state":"waiting","reason":"CrashLoopBackOff","lastReason":"OOMKilled","lastExitCode":137}`,
      ],
    });
    expect(row).toMatchObject({
      status: "unhealthy",
      reason: "CrashLoopBackOff",
      message: "container log: back-off 5m0s restarting failed container: it last ended with OOMKilled, exit code 137",
    });
  });

  test("[N-11] has name, namespace, labels and the phase as it changes", () => {
    const rows = ["Pending", "Running", "Succeeded"].map((phase) => rowOf(podKind, pod({ phase })));
    expect(rows.map(({ columns }) => columns.get("phase"))).toEqual(["Pending", "Running", "Succeeded"]);
    expect(rows.map(({ status }) => status)).toEqual(["progressing", "progressing", "completed"]);
    for (const row of rows) {
      expect([row.namespace, row.name, [...row.labels]]).toEqual(["shop", "web-1", [["app", "web"]]]);
    }
  });

  test("has its first address where the list of them is missing", () => {
    expect(rowOf(podKind, pod({ podIP: "10.1.0.9" })).columns.get("podIps")).toEqual(["10.1.0.9"]);
    expect(rowOf(podKind, pod({ podIP: "" })).columns.has("podIps")).toBe(false);
  });

  test("tells the node it is nominated for and its readiness gates, where it has them", () => {
    const readinessGates = [{ conditionType: "lb/ready" }, { conditionType: "lb/known" }, {}];
    const conditions = [
      { type: "lb/ready", status: "True" },
      { type: "lb/known", status: "False" },
    ];
    const { columns } = rowOf(podKind, pod({ nominatedNodeName: "node-b", conditions }, { readinessGates }));
    expect([columns.get("nominatedNode"), columns.get("readinessGates")]).toEqual(["node-b", "1/2"]);
    const bare = rowOf(podKind, pod({})).columns;
    expect([bare.has("nominatedNode"), bare.has("readinessGates")]).toEqual([false, false]);
  });

  test("counts restarts that no node can have had as the largest number a row takes", () => {
    const restartCount = Number.MAX_SAFE_INTEGER;
    const containers = [{ name: "a" }, { name: "b" }];
    const containerStatuses = containers.map((each) => ({ ...each, restartCount }));
    expect(rowOf(podKind, pod({ containerStatuses }, { containers })).columns.get("restarts")).toBe(restartCount);
  });
});

describe("a Pod's status", () => {
  const unschedulable = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes fit" };
  const gated = { type: "PodScheduled", status: "False", reason: "SchedulingGated" };
  const failedContainer = { name: "web", state: { terminated: { exitCode: 3, reason: "Error" } } };
  const evicted = {
    phase: "Failed",
    reason: "Evicted",
    message: "low on memory",
    containerStatuses: [failedContainer],
  };

  test.each<readonly [string, object, string, string]>([
    ["just created", pod({}), "progressing", "Pending"],
    ["pulling its image", waiting("ContainerCreating"), "progressing", "ContainerCreating"],
    ["initialising", waiting("PodInitializing"), "progressing", "PodInitializing"],
    ["without an image", waiting("ImagePullBackOff", "Back-off pulling image"), "unhealthy", "ImagePullBackOff"],
    ["refused an image", waiting("ErrImagePull"), "unhealthy", "ErrImagePull"],
    ["with a bad image name", waiting("InvalidImageName"), "unhealthy", "InvalidImageName"],
    ["without its Secret", waiting("CreateContainerConfigError"), "unhealthy", "CreateContainerConfigError"],
    ["that cannot start", waiting("RunContainerError"), "unhealthy", "RunContainerError"],
    ["that fits no node", pod({ phase: "Pending", conditions: [unschedulable] }), "unhealthy", "Unschedulable"],
    ["held back from scheduling", pod({ phase: "Pending", conditions: [gated] }), "suspended", "SchedulingGated"],
    ["crashing", running({ state: crashing }), "unhealthy", "CrashLoopBackOff"],
    [
      "out of memory",
      running({ state: { terminated: { exitCode: 137, reason: "OOMKilled" } } }),
      "unhealthy",
      "OOMKilled",
    ],
    [
      "starting",
      running({ state: started }, { status: "False", lastTransitionTime: at(1) }),
      "progressing",
      "ContainersNotReady",
    ],
    [
      "no longer ready",
      running({ state: started }, { status: "False", lastTransitionTime: at(9) }),
      "degraded",
      "ContainersNotReady",
    ],
    ["ready", running({ state: started, ready: true }, { status: "True" }), "healthy", ""],
    [
      "ready after a crash",
      running(
        { state: started, lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } } },
        { status: "True" },
      ),
      "healthy",
      "",
    ],
    ["done", pod({ phase: "Succeeded" }), "completed", "Completed"],
    ["evicted", pod(evicted), "unhealthy", "Evicted"],
    ["failed", pod({ phase: "Failed", containerStatuses: [failedContainer] }), "unhealthy", "Error"],
    ["failed without a word", pod({ phase: "Failed" }), "unhealthy", "Failed"],
    ["out of sight", pod({ phase: "Unknown" }), "unknown", "Unknown"],
  ])("of one %s", (_, object, status, reason) => {
    const row = rowOf(podKind, object);
    expect([row.status, row.reason]).toEqual([status, reason]);
  });

  test("names the container at fault with what its node says", () => {
    const row = rowOf(podKind, waiting("ErrImagePull", "not found"));
    expect(row.message).toBe("container web: not found");
    expect(rowOf(podKind, pod(evicted)).message).toBe("low on memory");
    expect(rowOf(podKind, pod({ phase: "Failed", containerStatuses: [failedContainer] })).message).toBe(
      "container web ended with exit code 3",
    );
  });

  test("looks at init containers first", () => {
    const spec = { initContainers: [{ name: "migrate" }], containers: [{ name: "web" }] };
    const status = {
      phase: "Pending",
      initContainerStatuses: [{ name: "migrate", restartCount: 2, state: crashing }],
      containerStatuses: [{ name: "web", state: { waiting: { reason: "PodInitializing" } } }],
    };
    const row = rowOf(podKind, pod(status, spec));
    expect([row.status, row.columns.get("ready"), row.columns.get("restarts")]).toEqual(["unhealthy", "0/1", 2]);
    expect(row.message).toContain("container migrate");
  });

  test.each(["RunContainerError", "CreateContainerError", "PostStartHookError"])(
    "[KI2] of one with %s leaves out the message, in which a runtime may quote the command",
    (reason) => {
      const row = rowOf(podKind, waiting(reason, 'exec: "server --password=hunter2": not found'));
      expect([row.reason, row.message]).toEqual([reason, "container web"]);
    },
  );

  test("[KI2] never tells what a container wrote when it ended", () => {
    const terminated = { exitCode: 1, reason: "Error", message: "password hunter2 refused" };
    const rows = [
      running({ state: { terminated } }),
      running({ state: crashing, lastState: { terminated } }),
      pod({ phase: "Failed", containerStatuses: [{ name: "web", state: { terminated } }] }),
    ].map((object) => rowOf(podKind, object));
    for (const row of rows) {
      expect(row.status).toBe("unhealthy");
      expect(JSON.stringify([row, ...row.columns])).not.toContain("hunter2");
    }
  });
});
