// SPDX-License-Identifier: Apache-2.0
// Namespaces, ConfigMaps, Secrets, roles and definitions.
import type { RowContent } from "../../model/rows/row.ts";
import { ageColumn, createdAtColumn, createRowTable, nameColumn, textColumn } from "./printed-columns.ts";
import { countIn, listIn, textIn } from "./row-values.ts";

/** Namespaces. */
export const namespaceTable = createRowTable([
  nameColumn,
  textColumn("Status", (row) => textIn(row, "phase")),
  ageColumn,
]);

/** ConfigMaps. */
export const configMapTable = createRowTable([nameColumn, textColumn("Data", keyCountCell), ageColumn]);

/** Secrets. */
export const secretTable = createRowTable([
  nameColumn,
  textColumn("Type", (row) => textIn(row, "type")),
  textColumn("Data", keyCountCell),
  ageColumn,
]);

/** Roles, ClusterRoles and CustomResourceDefinitions, which have no table of their own in kube-apiserver. */
export const createdAtTable = createRowTable([nameColumn, createdAtColumn]);

function keyCountCell(row: RowContent): number {
  return countIn(row, "keyCount") || (listIn(row, "keys") ?? []).length;
}
