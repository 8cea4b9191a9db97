// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { conditionsOf, findCondition } from "./conditions.ts";
import { listOf, textOf } from "./fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn, setTime } from "./kind.ts";
import { type Container, containerFields, containersOf } from "./pod-containers.ts";
import { printedPod } from "./pod-print.ts";
import { runningPodStatus } from "./pod-status.ts";

/**
 * Pods: phase, readiness and the state of their containers (N-11). `printStatus` is the word in kubectl's STATUS
 * (KI22).
 */
export const podKind: Kind = {
  resource: { group: "", resource: "pods" },
  kind: "Pod",
  versions: ["v1"],
  isNamespaced: true,
  columns: [
    { name: "phase", type: "string", isMain: true },
    { name: "printStatus", type: "string" },
    { name: "ready", type: "string", isMain: true },
    { name: "restarts", type: "integer", isMain: true },
    { name: "lastRestartAt", type: "integer" },
    { name: "node", type: "string", isMain: true },
    { name: "podIps", type: "stringList", isMain: true },
    { name: "nominatedNode", type: "string" },
    { name: "readinessGates", type: "string" },
    { name: "qos", type: "string" },
    { name: "containers", type: "stringList", isJson: true },
    { name: "initContainers", type: "stringList", isJson: true },
  ],
  project: projectPod,
};

function projectPod(pod: unknown): Projected {
  const columns: Columns = new Map();
  const initContainers = containersOf(pod, "initContainers", "initContainerStatuses");
  const containers = containersOf(pod, "containers", "containerStatuses");
  const all = [...initContainers, ...containers];
  const phase = textOf(pod, "status", "phase");
  setColumn(columns, "phase", phase);
  const printed = printedPod(pod);
  if (printed.status !== "") columns.set("printStatus", printed.status);
  columns.set("ready", `${printed.readyCount}/${printed.containerCount}`);
  columns.set("restarts", printed.restartCount);
  setTime(columns, "lastRestartAt", printed.lastRestartAt);
  setColumn(columns, "node", textOf(pod, "spec", "nodeName"));
  setColumn(columns, "podIps", addressesOf(pod));
  setColumn(columns, "nominatedNode", textOf(pod, "status", "nominatedNodeName"));
  setColumn(columns, "readinessGates", gatesOf(pod));
  setColumn(columns, "qos", textOf(pod, "status", "qosClass"));
  setColumn(columns, "containers", jsonTexts(containers.map(containerFields)));
  setColumn(columns, "initContainers", jsonTexts(initContainers.map(containerFields)));
  if (phase === "Succeeded") return { columns, outcome: "succeeded" };
  if (phase === "Failed") return { columns, outcome: "failed", status: failureOf(pod, all) };
  return { columns, status: runningPodStatus(pod, all) };
}

/** `1/2`: passed readiness gates, as kubectl prints it; undefined for a Pod without gates. */
function gatesOf(pod: unknown): string | undefined {
  const gates = listOf(pod, "spec", "readinessGates").flatMap((each) => textOf(each, "conditionType") ?? []);
  if (gates.length === 0) return undefined;
  const conditions = conditionsOf(pod);
  const passed = gates.filter((type) => findCondition(conditions, type)?.status === "True");
  return `${passed.length}/${gates.length}`;
}

function addressesOf(pod: unknown): readonly string[] {
  const all = listOf(pod, "status", "podIPs").flatMap((each) => textOf(each, "ip") ?? []);
  const first = textOf(pod, "status", "podIP");
  return all.length === 0 && first !== undefined && first !== "" ? [first] : all;
}

/** Why it failed: the Pod's own reason (`Evicted`), else the first container with a non-zero exit code. */
function failureOf(pod: unknown, containers: readonly Container[]): StatusReport {
  const reason = textOf(pod, "status", "reason");
  if (reason !== undefined && reason !== "")
    return createStatusReport("unhealthy", reason, textOf(pod, "status", "message"));
  const failed = containers.find(({ exitCode }) => exitCode !== undefined && exitCode !== 0);
  if (failed === undefined) return createStatusReport("unhealthy", "Failed", textOf(pod, "status", "message"));
  const message = `container ${failed.name} ended with exit code ${failed.exitCode}`;
  return createStatusReport("unhealthy", failed.reason ?? "Error", message);
}
