// SPDX-License-Identifier: Apache-2.0
// Pods in every state that the status column has a word for.
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { type Ago, coreIn, type Sample } from "./sample.ts";

interface PodParts {
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
  readonly isDeleted?: boolean;
}

function pod(name: string, { spec = {}, status, isDeleted = false }: PodParts): Sample {
  const containers = [
    { name: "a", image: "a:1" },
    { name: "b", image: "b:1" },
  ];
  return {
    collection: coreIn("pods"),
    object: {
      metadata: { name, ...(isDeleted ? { finalizers: ["example.com/keep"] } : {}) },
      spec: { containers, terminationGracePeriodSeconds: 0, ...spec },
    },
    ...(status === undefined ? {} : { status }),
    isDeleted,
  };
}

function container(name: string, state: JsonObject, more: JsonObject = {}): JsonObject {
  return { name, image: `${name}:1`, imageID: "", ready: false, restartCount: 0, lastState: {}, state, ...more };
}

const init = [
  { name: "i", image: "i:1" },
  { name: "j", image: "j:1" },
];
const sidecar = [{ name: "s", image: "s:1", restartPolicy: "Always" }, ...init];
const condition = (type: string, status: string, reason = ""): JsonObject => ({ type, status, reason });

export function podSamples(ago: Ago): readonly Sample[] {
  const running = { running: { startedAt: ago(500) } };
  const done = { terminated: { exitCode: 0, reason: "Completed", finishedAt: ago(50) } };
  const ended = (seconds: number): JsonObject => ({ terminated: { exitCode: 1, finishedAt: ago(seconds) } });
  const waiting = (reason: string): JsonObject => ({ waiting: { reason } });
  const failed = (more: JsonObject): JsonObject => ({ terminated: { exitCode: 3, finishedAt: ago(5), ...more } });
  const phase = (name: string, containerStatuses: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
    phase: name,
    containerStatuses,
    ...more,
  });
  return [
    pod("bare", {}),
    pod("gated", { spec: { schedulingGates: [{ name: "example.com/gate" }] } }),
    pod("running", {
      spec: { nodeName: "node-1", readinessGates: [{ conditionType: "x/y" }, { conditionType: "x/z" }] },
      status: phase("Running", [container("a", running, { ready: true }), container("b", running, { ready: true })], {
        podIP: "10.1.2.3",
        podIPs: [{ ip: "10.1.2.3" }, { ip: "fd00::1" }],
        conditions: [condition("Ready", "True"), condition("x/y", "True"), condition("x/z", "False")],
      }),
    }),
    pod("nominated", { status: { phase: "Pending", nominatedNodeName: "node-2" } }),
    pod("crashing", {
      status: phase("Running", [
        container("a", waiting("CrashLoopBackOff"), { restartCount: 7, lastState: ended(301) }),
        container("b", running, { ready: true, restartCount: 2, lastState: ended(7200) }),
      ]),
    }),
    pod("pulling", {
      status: phase("Pending", [
        container("a", waiting("ContainerCreating")),
        container("b", waiting("ImagePullBackOff")),
      ]),
    }),
    pod("restarted-unknown-when", {
      status: phase("Running", [container("a", running, { ready: true, restartCount: 4 }), container("b", running)]),
    }),
    pod("completed", { status: phase("Succeeded", [container("a", done), container("b", done)]) }),
    pod("half-completed-ready", {
      status: phase("Running", [container("a", done), container("b", running, { ready: true })], {
        conditions: [condition("Ready", "True")],
      }),
    }),
    pod("half-completed", {
      status: phase("Running", [container("a", done), container("b", running, { ready: true })]),
    }),
    pod("half-failed", {
      status: phase("Running", [container("a", done), container("b", failed({ reason: "OOMKilled" }))]),
    }),
    pod("exit-code", { status: phase("Failed", [container("a", failed({})), container("b", failed({}))]) }),
    pod("signal", { status: phase("Failed", [container("a", failed({ signal: 9 }))]) }),
    pod("evicted", { status: { phase: "Failed", reason: "Evicted", message: "low on memory" } }),
    pod("init-waiting", {
      spec: { initContainers: init },
      status: phase("Pending", [container("a", waiting("PodInitializing"))], {
        initContainerStatuses: [container("i", done), container("j", waiting("PodInitializing"), { restartCount: 1 })],
      }),
    }),
    pod("init-crashing", {
      spec: { initContainers: init },
      status: phase("Pending", [], {
        initContainerStatuses: [container("i", waiting("CrashLoopBackOff"), { restartCount: 3, lastState: ended(40) })],
      }),
    }),
    pod("init-error", {
      spec: { initContainers: init },
      status: phase("Pending", [], { initContainerStatuses: [container("i", failed({ reason: "Error" }))] }),
    }),
    pod("init-exit-code", {
      spec: { initContainers: init },
      status: phase("Pending", [], { initContainerStatuses: [container("i", failed({}))] }),
    }),
    pod("init-signal", {
      spec: { initContainers: init },
      status: phase("Pending", [], { initContainerStatuses: [container("i", failed({ signal: 6 }))] }),
    }),
    pod("init-again-while-initialized", {
      spec: { initContainers: init },
      status: phase("Running", [container("a", running, { ready: true }), container("b", {})], {
        conditions: [condition("Initialized", "True")],
        initContainerStatuses: [container("i", running)],
      }),
    }),
    pod("sidecar-ready", {
      spec: { initContainers: sidecar },
      status: phase("Running", [container("a", running, { ready: true }), container("b", running, { ready: true })], {
        initContainerStatuses: [
          container("s", running, { started: true, ready: true, restartCount: 2, lastState: ended(90_000) }),
          container("i", done, { restartCount: 5, lastState: ended(10) }),
          container("j", done),
        ],
      }),
    }),
    pod("sidecar-starting", {
      spec: { initContainers: sidecar },
      status: phase("Pending", [], { initContainerStatuses: [container("s", running, { started: false })] }),
    }),
    pod("sidecar-unready", {
      spec: { initContainers: sidecar },
      status: phase("Pending", [], {
        initContainerStatuses: [container("s", running, { started: true }), container("i", running)],
      }),
    }),
    pod("terminating", { isDeleted: true, status: phase("Running", [container("a", running, { ready: true })]) }),
    pod("terminating-lost", { isDeleted: true, status: { phase: "Running", reason: "NodeLost" } }),
    pod("terminating-succeeded", { isDeleted: true, status: { phase: "Succeeded" } }),
  ];
}
