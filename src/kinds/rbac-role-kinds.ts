// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../model/text.ts";
import { listOf } from "./fields.ts";
import { type Columns, jsonTexts, type Kind, type KindColumn, type Projected, setColumn } from "./kind.ts";
import { labelSelectorTexts } from "./label-selector-texts.ts";
import { exactRules } from "./rbac-fields.ts";

/** Never cut: a shortened list of names would still be valid, and an empty one means every name (KI18). */
const ruleColumns: readonly KindColumn[] = [
  { name: "rules", type: "stringList", isJson: true, isWhole: true },
  { name: "unreadableCount", type: "integer" },
];

/** Roles, complete. */
export const roleKind: Kind = {
  resource: { group: "rbac.authorization.k8s.io", resource: "roles" },
  kind: "Role",
  versions: ["v1"],
  isNamespaced: true,
  isConfiguration: true,
  columns: ruleColumns,
  project: (object) => ({ columns: ruleColumnsOf(object) }),
};

/** ClusterRoles, complete. Its rules include the aggregated ones; the selectors show where those come from. */
export const clusterRoleKind: Kind = {
  resource: { group: "rbac.authorization.k8s.io", resource: "clusterroles" },
  kind: "ClusterRole",
  versions: ["v1"],
  isNamespaced: false,
  isConfiguration: true,
  columns: [...ruleColumns, { name: "aggregates", type: "stringList", isJson: true }],
  project: projectClusterRole,
};

function projectClusterRole(object: unknown): Projected {
  const columns = ruleColumnsOf(object);
  const selectors = listOf(object, "aggregationRule", "clusterRoleSelectors").map((each) => ({
    selector: labelSelectorTexts(each),
  }));
  setColumn(columns, "aggregates", jsonTexts(selectors).sort(compareUtf8));
  return { columns };
}

function ruleColumnsOf(object: unknown): Columns {
  const columns: Columns = new Map();
  const { elements, unreadableCount } = exactRules(object);
  setColumn(columns, "rules", jsonTexts(elements));
  if (unreadableCount > 0) columns.set("unreadableCount", unreadableCount);
  return columns;
}
