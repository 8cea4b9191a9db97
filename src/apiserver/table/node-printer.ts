// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import { type JsonObject } from "../json/json.ts";
import { objectAt, objectsAt, textAt, textOf } from "../json/json-fields.ts";
import { ageCell, booleanCell, nameOf, textOr } from "./cells.ts";
import { ageColumn, nameColumn, printCells, textColumn, wideColumn } from "./columns.ts";
import { toGoText } from "./go-text.ts";

const rolePrefix = "node-role.kubernetes.io/";

export const nodePrinter = printCells(
  [
    nameColumn,
    textColumn("Status"),
    textColumn("Roles"),
    ageColumn,
    textColumn("Version"),
    wideColumn("Internal-IP"),
    wideColumn("External-IP"),
    wideColumn("OS-Image"),
    wideColumn("Kernel-Version"),
    wideColumn("Container-Runtime"),
  ],
  (node, nowMs) => [
    nameOf(node),
    nodeStatus(node),
    nodeRoles(node),
    ageCell(node, nowMs),
    textOf(node, "status", "nodeInfo", "kubeletVersion"),
    nodeAddress(node, "InternalIP"),
    nodeAddress(node, "ExternalIP"),
    textOr("<unknown>", node, "status", "nodeInfo", "osImage"),
    kernelVersion(node),
    textOr("<unknown>", node, "status", "nodeInfo", "containerRuntimeVersion"),
  ],
);

function nodeStatus(node: JsonObject): string {
  const ready = objectsAt(node, "status", "conditions").findLast((condition) => textAt(condition, "type") === "Ready");
  const isReady = ready !== undefined && textAt(ready, "status") === "True";
  const status = ready === undefined ? "Unknown" : isReady ? "Ready" : "NotReady";
  return booleanCell(node, "spec", "unschedulable") ? `${status},SchedulingDisabled` : status;
}

/** Roles are labels: `node-role.kubernetes.io/<role>`, or `kubernetes.io/role` with the role as value. */
function nodeRoles(node: JsonObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(objectAt(node, "metadata", "labels") ?? {})) {
    if (key.startsWith(rolePrefix)) roles.add(key.slice(rolePrefix.length));
    else if (key === "kubernetes.io/role") roles.add(toGoText(value));
  }
  roles.delete("");
  return [...roles].toSorted(compareUtf8).join(",") || "<none>";
}

function nodeAddress(node: JsonObject, type: string): string {
  const found = objectsAt(node, "status", "addresses").find((address) => textAt(address, "type") === type);
  return found === undefined ? "<none>" : textOf(found, "address");
}

function kernelVersion(node: JsonObject): string {
  const version = textOr("<unknown>", node, "status", "nodeInfo", "kernelVersion");
  const architecture = textOf(node, "status", "nodeInfo", "architecture");
  return architecture === "" ? version : `${version} (${architecture})`;
}
