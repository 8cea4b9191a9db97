// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../model/text.ts";
import { booleanOf, keysOf, textOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";

/** Secrets: type and names of the keys, never a value (KI2). Collected only if selected explicitly (L18). */
export const secretKind: Kind = {
  resource: { group: "", resource: "secrets" },
  kind: "Secret",
  versions: ["v1"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [
    { name: "type", type: "string", isMain: true },
    { name: "keys", type: "stringList", isMain: true },
    { name: "immutable", type: "boolean" },
  ],
  project: projectSecret,
};

function projectSecret(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "type", textOf(object, "type"));
  setColumn(columns, "keys", [...keysOf(object, "data")].sort(compareUtf8));
  setColumn(columns, "immutable", booleanOf(object, "immutable"));
  return { columns };
}
