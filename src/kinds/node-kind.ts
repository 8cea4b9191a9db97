// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { compareUtf8 } from "../model/text.ts";
import { type Condition, conditionFields, conditionsOf, findCondition, statusFrom } from "./conditions.ts";
import { booleanOf, integerOf, listOf, textMapOf, textOf } from "./fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "./kind.ts";

/** Nodes. A cordoned node still runs its Pods, so `unschedulable` is a column and not a status. */
export const nodeKind: Kind = {
  resource: { group: "", resource: "nodes" },
  kind: "Node",
  versions: ["v1"],
  isNamespaced: false,
  columns: [
    { name: "roles", type: "stringList", isMain: true },
    { name: "kubeletVersion", type: "string", isMain: true },
    { name: "runtimeVersion", type: "string" },
    { name: "osImage", type: "string" },
    { name: "kernelVersion", type: "string" },
    { name: "os", type: "string" },
    { name: "architecture", type: "string" },
    { name: "addresses", type: "stringList", isJson: true, isMain: true },
    { name: "cpuCapacity", type: "string", isMain: true },
    { name: "memoryCapacity", type: "string", isMain: true },
    { name: "podsCapacity", type: "string" },
    { name: "cpuAllocatable", type: "string" },
    { name: "memoryAllocatable", type: "string" },
    { name: "podsAllocatable", type: "string" },
    { name: "unschedulable", type: "boolean", isMain: true },
    { name: "taints", type: "stringList", isJson: true },
    { name: "conditions", type: "stringList", isJson: true },
  ],
  project: projectNode,
};

const versionFields = [
  ["kubeletVersion", "kubeletVersion"],
  ["runtimeVersion", "containerRuntimeVersion"],
  ["osImage", "osImage"],
  ["kernelVersion", "kernelVersion"],
  ["os", "operatingSystem"],
  ["architecture", "architecture"],
] as const;

function projectNode(object: unknown): Projected {
  const columns: Columns = new Map();
  const conditions = conditionsOf(object);
  setColumn(columns, "roles", rolesOf(object));
  for (const [column, field] of versionFields) setColumn(columns, column, textOf(object, "status", "nodeInfo", field));
  setColumn(columns, "addresses", jsonTexts(listOf(object, "status", "addresses").map(toAddress)));
  for (const resource of ["cpu", "memory", "pods"]) {
    setColumn(columns, `${resource}Capacity`, amountOf(object, "capacity", resource));
    setColumn(columns, `${resource}Allocatable`, amountOf(object, "allocatable", resource));
  }
  columns.set("unschedulable", booleanOf(object, "spec", "unschedulable") === true);
  setColumn(columns, "taints", jsonTexts(listOf(object, "spec", "taints").map(toTaint)));
  setColumn(columns, "conditions", jsonTexts(conditions.map(conditionFields)));
  return { columns, status: statusOf(conditions) };
}

const rolePrefix = "node-role.kubernetes.io/";

/** The roles in the node's labels, as kubectl reads them. */
function rolesOf(object: unknown): readonly string[] {
  const roles = new Set<string>();
  for (const [key, value] of textMapOf(object, "metadata", "labels")) {
    const role = key === "kubernetes.io/role" ? value : key.startsWith(rolePrefix) ? key.slice(rolePrefix.length) : "";
    if (role !== "") roles.add(role);
  }
  return [...roles].sort(compareUtf8);
}

/** A quantity as written; a number becomes its digits. */
function amountOf(object: unknown, list: "capacity" | "allocatable", resource: string): string | undefined {
  const path = ["status", list, resource];
  return textOf(object, ...path) ?? integerOf(object, ...path)?.toString();
}

function toAddress(address: unknown): Readonly<Record<string, unknown>> {
  return { type: textOf(address, "type"), address: textOf(address, "address") };
}

function toTaint(taint: unknown): Readonly<Record<string, unknown>> {
  return { key: textOf(taint, "key"), value: textOf(taint, "value"), effect: textOf(taint, "effect") };
}

/**
 * Conditions that are a problem when true, the worst first. Other conditions are ignored, because their meaning depends
 * on the component that wrote them.
 */
const problemTypes = ["NetworkUnavailable", "DiskPressure", "MemoryPressure", "PIDPressure"];

function statusOf(conditions: readonly Condition[]): StatusReport {
  const ready = findCondition(conditions, "Ready");
  if (ready === undefined)
    return createStatusReport("progressing", "NotReportedYet", "its kubelet has not reported yet");
  // The control plane sets Unknown when a kubelet has not reported for too long.
  if (ready.status !== "True") return statusFrom("unhealthy", ready);
  for (const type of problemTypes) {
    const problem = findCondition(conditions, type);
    if (problem?.status === "True") return createStatusReport("degraded", type, problem.message);
  }
  return statusFrom("healthy", ready);
}
