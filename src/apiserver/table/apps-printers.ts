// SPDX-License-Identifier: Apache-2.0
// Workloads: the kinds of the group apps, and ReplicationControllers.

import { type JsonObject } from "../json/json.ts";
import { objectAt, objectsAt, textAt, textOf, valueAt } from "../json/json-fields.ts";
import type { Column } from "../resources/printer.ts";
import { ageCell, booleanCell, containerCells, countCell, nameOf } from "./cells.ts";
import { ageColumn, integerColumn, nameColumn, printCells, textColumn, wideColumn } from "./columns.ts";
import { formatLabels, formatSelector, selectorText } from "./selector-text.ts";

const containerColumns: readonly Column[] = [wideColumn("Containers"), wideColumn("Images")];
const selectorColumn = wideColumn("Selector");

const replicaColumns: readonly Column[] = [
  nameColumn,
  integerColumn("Desired"),
  integerColumn("Current"),
  integerColumn("Ready"),
  ageColumn,
  ...containerColumns,
  selectorColumn,
];

function templateContainers(object: JsonObject): readonly [string, string] {
  return containerCells(objectAt(object, "spec", "template", "spec"));
}

function replicaCells(object: JsonObject, nowMs: number, selector: string): readonly (string | number)[] {
  return [
    nameOf(object),
    countCell(object, "spec", "replicas"),
    countCell(object, "status", "replicas"),
    countCell(object, "status", "readyReplicas"),
    ageCell(object, nowMs),
    ...templateContainers(object),
    selector,
  ];
}

function readyOfDesired(object: JsonObject): string {
  return `${countCell(object, "status", "readyReplicas")}/${countCell(object, "spec", "replicas")}`;
}

export const replicationControllerPrinter = printCells(replicaColumns, (object, nowMs) =>
  replicaCells(object, nowMs, formatLabels(objectAt(object, "spec", "selector"))),
);

export const replicaSetPrinter = printCells(replicaColumns, (object, nowMs) =>
  replicaCells(object, nowMs, formatSelector(objectAt(object, "spec", "selector"))),
);

export const deploymentPrinter = printCells(
  [
    nameColumn,
    textColumn("Ready"),
    textColumn("Up-to-date"),
    textColumn("Available"),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  (object, nowMs) => [
    nameOf(object),
    readyOfDesired(object),
    countCell(object, "status", "updatedReplicas"),
    countCell(object, "status", "availableReplicas"),
    ageCell(object, nowMs),
    ...templateContainers(object),
    selectorText(objectAt(object, "spec", "selector")),
  ],
);

export const statefulSetPrinter = printCells(
  [nameColumn, textColumn("Ready"), ageColumn, ...containerColumns],
  (object, nowMs) => [nameOf(object), readyOfDesired(object), ageCell(object, nowMs), ...templateContainers(object)],
);

export const daemonSetPrinter = printCells(
  [
    nameColumn,
    integerColumn("Desired"),
    integerColumn("Current"),
    integerColumn("Ready"),
    integerColumn("Up-to-date"),
    integerColumn("Available"),
    textColumn("Node Selector"),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  (object, nowMs) => [
    nameOf(object),
    countCell(object, "status", "desiredNumberScheduled"),
    countCell(object, "status", "currentNumberScheduled"),
    countCell(object, "status", "numberReady"),
    countCell(object, "status", "updatedNumberScheduled"),
    countCell(object, "status", "numberAvailable"),
    formatLabels(objectAt(object, "spec", "template", "spec", "nodeSelector")),
    ageCell(object, nowMs),
    ...templateContainers(object),
    formatSelector(objectAt(object, "spec", "selector")),
  ],
);

export const controllerRevisionPrinter = printCells(
  [nameColumn, textColumn("Controller"), textColumn("Revision"), ageColumn],
  (object, nowMs) => [nameOf(object), controllerOf(object), valueAt(object, "revision") ?? 0, ageCell(object, nowMs)],
);

/** The owner that controls the object: `statefulset.apps/db`. */
function controllerOf(object: JsonObject): string {
  const owner = objectsAt(object, "metadata", "ownerReferences").find((one) => booleanCell(one, "controller"));
  if (owner === undefined) return "<none>";
  const apiVersion = textAt(owner, "apiVersion") ?? "";
  const group = apiVersion.includes("/") ? `.${apiVersion.slice(0, apiVersion.indexOf("/"))}` : "";
  return `${`${textOf(owner, "kind")}${group}`.toLowerCase()}/${textOf(owner, "name")}`;
}
