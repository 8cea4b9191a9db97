// SPDX-License-Identifier: Apache-2.0
import { booleanOf, keysOf } from "./fields.ts";
import { keyColumns, setKeys } from "./key-columns.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";

/** ConfigMaps: the names of their keys, never a value (KI2). */
export const configMapKind: Kind = {
  resource: { group: "", resource: "configmaps" },
  kind: "ConfigMap",
  versions: ["v1"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [...keyColumns, { name: "immutable", type: "boolean" }],
  project: projectConfigMap,
};

function projectConfigMap(object: unknown): Projected {
  const columns: Columns = new Map();
  setKeys(columns, new Set([...keysOf(object, "data"), ...keysOf(object, "binaryData")]));
  setColumn(columns, "immutable", booleanOf(object, "immutable"));
  return { columns };
}
