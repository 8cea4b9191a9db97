// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../model/text.ts";
import { booleanOf, keysOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";

/** ConfigMaps: the names of their keys, never a value (KI2). */
export const configMapKind: Kind = {
  resource: { group: "", resource: "configmaps" },
  kind: "ConfigMap",
  versions: ["v1"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [
    { name: "keys", type: "stringList", isMain: true },
    { name: "immutable", type: "boolean" },
  ],
  project: projectConfigMap,
};

function projectConfigMap(object: unknown): Projected {
  const columns: Columns = new Map();
  const keys = new Set([...keysOf(object, "data"), ...keysOf(object, "binaryData")]);
  setColumn(columns, "keys", [...keys].sort(compareUtf8));
  setColumn(columns, "immutable", booleanOf(object, "immutable"));
  return { columns };
}
