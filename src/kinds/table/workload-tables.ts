// SPDX-License-Identifier: Apache-2.0
// Kinds of the group apps.
import type { RowContent } from "../../model/rows/row.ts";
import { selectorText } from "./cell-texts.ts";
import {
  ageColumn,
  createRowTable,
  integerColumn,
  nameColumn,
  type PrintedColumn,
  textColumn,
  wideColumn,
} from "./printed-columns.ts";
import { countIn, listIn } from "./row-values.ts";

/** Names and images of the containers of a Pod template. */
export const templateCells: readonly PrintedColumn[] = [
  wideColumn("Containers", (row) => (listIn(row, "containers") ?? []).join(",")),
  wideColumn("Images", (row) => (listIn(row, "containerImages") ?? listIn(row, "images") ?? []).join(",")),
];

/** The selector of a workload; `<none>` if it is empty. */
export const selectorColumn: PrintedColumn = wideColumn(
  "Selector",
  (row) => selectorText(listIn(row, "selector")) || "<none>",
);

/** Deployments. kube-apiserver prints no `<none>` for their selector. */
export const deploymentTable = createRowTable([
  nameColumn,
  textColumn("Ready", readyOfReplicas),
  textColumn("Up-to-date", (row) => countIn(row, "updated")),
  textColumn("Available", (row) => countIn(row, "available")),
  ageColumn,
  ...templateCells,
  wideColumn("Selector", (row) => selectorText(listIn(row, "selector"))),
]);

/** ReplicaSets. */
export const replicaSetTable = createRowTable([
  nameColumn,
  integerColumn("Desired", (row) => countIn(row, "replicas")),
  integerColumn("Current", (row) => countIn(row, "current")),
  integerColumn("Ready", (row) => countIn(row, "ready")),
  ageColumn,
  ...templateCells,
  selectorColumn,
]);

/** StatefulSets. */
export const statefulSetTable = createRowTable([
  nameColumn,
  textColumn("Ready", readyOfReplicas),
  ageColumn,
  ...templateCells,
]);

/** DaemonSets. */
export const daemonSetTable = createRowTable([
  nameColumn,
  integerColumn("Desired", (row) => countIn(row, "desired")),
  integerColumn("Current", (row) => countIn(row, "scheduled")),
  integerColumn("Ready", (row) => countIn(row, "ready")),
  integerColumn("Up-to-date", (row) => countIn(row, "updated")),
  integerColumn("Available", (row) => countIn(row, "available")),
  textColumn("Node Selector", (row) => selectorText(listIn(row, "nodeSelector")) || "<none>"),
  ageColumn,
  ...templateCells,
  selectorColumn,
]);

function readyOfReplicas(row: RowContent): string {
  return `${countIn(row, "ready")}/${countIn(row, "replicas")}`;
}
