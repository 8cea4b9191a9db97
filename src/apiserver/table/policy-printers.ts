// SPDX-License-Identifier: Apache-2.0
// Policies and related kinds: disruption budgets, priorities, runtime classes, role bindings, leases, webhooks, scale.

import { type JsonObject } from "../json/json.ts";
import { objectsAt, textAt, textOf, valueAt } from "../json/json-fields.ts";
import { ageCell, booleanCell, countCell, nameOf } from "./cells.ts";
import { ageColumn, booleanColumn, integerColumn, nameColumn, printCells, textColumn, wideColumn } from "./columns.ts";
import { toGoText } from "./go-text.ts";

export const podDisruptionBudgetPrinter = printCells(
  [
    nameColumn,
    textColumn("Min Available"),
    textColumn("Max Unavailable"),
    integerColumn("Allowed Disruptions"),
    ageColumn,
  ],
  (budget, nowMs) => [
    nameOf(budget),
    toGoText(valueAt(budget, "spec", "minAvailable") ?? "N/A"),
    toGoText(valueAt(budget, "spec", "maxUnavailable") ?? "N/A"),
    countCell(budget, "status", "disruptionsAllowed"),
    ageCell(budget, nowMs),
  ],
);

export const priorityClassPrinter = printCells(
  [nameColumn, integerColumn("Value"), booleanColumn("Global-Default"), ageColumn, textColumn("PreemptionPolicy")],
  (priorityClass, nowMs) => [
    nameOf(priorityClass),
    countCell(priorityClass, "value"),
    booleanCell(priorityClass, "globalDefault"),
    ageCell(priorityClass, nowMs),
    textOf(priorityClass, "preemptionPolicy"),
  ],
);

export const runtimeClassPrinter = printCells([nameColumn, textColumn("Handler"), ageColumn], (runtimeClass, nowMs) => [
  nameOf(runtimeClass),
  textOf(runtimeClass, "handler"),
  ageCell(runtimeClass, nowMs),
]);

/** RoleBindings and ClusterRoleBindings. */
export const bindingPrinter = printCells(
  [nameColumn, textColumn("Role"), ageColumn, wideColumn("Users"), wideColumn("Groups"), wideColumn("ServiceAccounts")],
  (binding, nowMs) => [
    nameOf(binding),
    `${textOf(binding, "roleRef", "kind")}/${textOf(binding, "roleRef", "name")}`,
    ageCell(binding, nowMs),
    subjectsCell(binding, "User", (subject) => textOf(subject, "name")),
    subjectsCell(binding, "Group", (subject) => textOf(subject, "name")),
    subjectsCell(binding, "ServiceAccount", (subject) => `${textOf(subject, "namespace")}/${textOf(subject, "name")}`),
  ],
);

export const leasePrinter = printCells([nameColumn, textColumn("Holder"), ageColumn], (lease, nowMs) => [
  nameOf(lease),
  textOf(lease, "spec", "holderIdentity"),
  ageCell(lease, nowMs),
]);

/** Webhook configurations, mutating and validating. */
export const webhookPrinter = printCells([nameColumn, integerColumn("Webhooks"), ageColumn], (object, nowMs) => [
  nameOf(object),
  objectsAt(object, "webhooks").length,
  ageCell(object, nowMs),
]);

/** The scale subresource of built-in kinds. */
export const scalePrinter = printCells(
  [textColumn("Name"), integerColumn("Desired"), integerColumn("Available"), ageColumn],
  (scale, nowMs) => [
    nameOf(scale),
    countCell(scale, "spec", "replicas"),
    countCell(scale, "status", "replicas"),
    ageCell(scale, nowMs),
  ],
);

function subjectsCell(binding: JsonObject, kind: string, format: (subject: JsonObject) => string): string {
  const subjects = objectsAt(binding, "subjects").filter((subject) => textAt(subject, "kind") === kind);
  return subjects.map(format).join(", ");
}
