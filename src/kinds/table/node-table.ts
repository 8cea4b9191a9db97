// SPDX-License-Identifier: Apache-2.0
import type { RowContent } from "../../model/rows/row.ts";
import { textOf } from "../fields.ts";
import { ageColumn, createRowTable, nameColumn, textColumn, wideColumn } from "./printed-columns.ts";
import { isTrueIn, listIn, partsIn, textIn } from "./row-values.ts";

/** Nodes. */
export const nodeTable = createRowTable([
  nameColumn,
  textColumn("Status", statusCell),
  textColumn("Roles", (row) => (listIn(row, "roles") ?? []).join(",") || "<none>"),
  ageColumn,
  textColumn("Version", (row) => textIn(row, "kubeletVersion")),
  wideColumn("Internal-IP", (row) => addressCell(row, "InternalIP")),
  wideColumn("External-IP", (row) => addressCell(row, "ExternalIP")),
  wideColumn("OS-Image", (row) => textIn(row, "osImage") || "<unknown>"),
  wideColumn("Kernel-Version", kernelCell),
  wideColumn("Container-Runtime", (row) => textIn(row, "runtimeVersion") || "<unknown>"),
]);

function statusCell(row: RowContent): string {
  const ready = partsIn(row, "conditions").findLast((condition) => textOf(condition, "type") === "Ready");
  const word = ready === undefined ? "Unknown" : textOf(ready, "status") === "True" ? "Ready" : "NotReady";
  return isTrueIn(row, "unschedulable") ? `${word},SchedulingDisabled` : word;
}

function addressCell(row: RowContent, type: string): string {
  const found = partsIn(row, "addresses").find((address) => textOf(address, "type") === type);
  return found === undefined ? "<none>" : (textOf(found, "address") ?? "");
}

function kernelCell(row: RowContent): string {
  const version = textIn(row, "kernelVersion") || "<unknown>";
  const architecture = textIn(row, "architecture");
  return architecture === "" ? version : `${version} (${architecture})`;
}
