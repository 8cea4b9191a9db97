// SPDX-License-Identifier: Apache-2.0
// Autoscalers, disruption budgets and role bindings.
import type { RowContent } from "../../model/rows/row.ts";
import { textOf } from "../fields.ts";
import { joinFirst } from "./cell-texts.ts";
import { ageColumn, createRowTable, integerColumn, nameColumn, textColumn, wideColumn } from "./printed-columns.ts";
import { countIn, listIn, numberIn, partsIn, textIn } from "./row-values.ts";

/** Most metrics of an autoscaler in a cell. */
const maxMetricCount = 2;

/** HorizontalPodAutoscalers. Measured values are `<unknown>`: rows do not hold them (KI22). */
export const autoscalerTable = createRowTable([
  nameColumn,
  textColumn("Reference", (row) => `${textIn(row, "targetKind")}/${textIn(row, "targetName")}`),
  textColumn("Targets", targetsCell),
  textColumn("MinPods", (row) => String(numberIn(row, "minReplicas") ?? "<unset>")),
  textColumn("MaxPods", (row) => countIn(row, "maxReplicas")),
  textColumn("Replicas", (row) => countIn(row, "currentReplicas")),
  ageColumn,
]);

/** PodDisruptionBudgets. */
export const disruptionBudgetTable = createRowTable([
  nameColumn,
  textColumn("Min Available", (row) => textIn(row, "minAvailable") || "N/A"),
  textColumn("Max Unavailable", (row) => textIn(row, "maxUnavailable") || "N/A"),
  integerColumn("Allowed Disruptions", (row) => countIn(row, "disruptionsAllowed")),
  ageColumn,
]);

/** RoleBindings and ClusterRoleBindings. */
export const roleBindingTable = createRowTable([
  nameColumn,
  textColumn("Role", (row) => `${textIn(row, "roleKind")}/${textIn(row, "roleName")}`),
  ageColumn,
  wideColumn("Users", (row) => subjectsCell(row, "User")),
  wideColumn("Groups", (row) => subjectsCell(row, "Group")),
  wideColumn("ServiceAccounts", (row) => subjectsCell(row, "ServiceAccount")),
]);

function targetsCell(row: RowContent): string {
  const targets = (listIn(row, "targets") ?? []).map(targetText);
  return targets.length === 0 ? "<none>" : joinFirst(targets, maxMetricCount, { separator: ", " });
}

/** Types of metrics of which the row holds nothing but the type. */
const unnamedTypes: ReadonlySet<string> = new Set(["External", "Object", "Pods"]);

/** `cpu 80%` of the row as `cpu: <unknown>/80%`. A metric without a target has one that its controller chooses. */
function targetText(target: string): string {
  if (unnamedTypes.has(target)) return "<unknown>/<unknown>";
  const blank = target.indexOf(" ");
  return blank === -1
    ? `${target}: <unknown>/<auto>`
    : `${target.slice(0, blank)}: <unknown>/${target.slice(blank + 1)}`;
}

function subjectsCell(row: RowContent, kind: "User" | "Group" | "ServiceAccount"): string {
  return partsIn(row, "subjects")
    .filter((subject) => textOf(subject, "kind") === kind)
    .map((subject) => {
      const name = textOf(subject, "name") ?? "";
      return kind === "ServiceAccount" ? `${textOf(subject, "namespace") ?? ""}/${name}` : name;
    })
    .join(", ");
}
