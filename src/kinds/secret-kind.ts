// SPDX-License-Identifier: Apache-2.0
import { booleanOf, keysOf, textOf } from "./fields.ts";
import { keyColumns, setKeys } from "./key-columns.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";

/** Secrets: type and names of the keys, never a value (KI2). Collected only if selected explicitly (L18). */
export const secretKind: Kind = {
  resource: { group: "", resource: "secrets" },
  kind: "Secret",
  versions: ["v1"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [{ name: "type", type: "string", isMain: true }, ...keyColumns, { name: "immutable", type: "boolean" }],
  project: projectSecret,
};

function projectSecret(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "type", textOf(object, "type"));
  setKeys(columns, new Set(keysOf(object, "data")));
  setColumn(columns, "immutable", booleanOf(object, "immutable"));
  return { columns };
}
