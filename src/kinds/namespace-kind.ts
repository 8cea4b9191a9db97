// SPDX-License-Identifier: Apache-2.0
import { conditionsOf } from "./conditions.ts";
import { textOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";

/** Namespaces, and what blocks their deletion. */
export const namespaceKind: Kind = {
  resource: { group: "", resource: "namespaces" },
  kind: "Namespace",
  versions: ["v1"],
  isNamespaced: false,
  isConfiguration: true,
  columns: [
    { name: "phase", type: "string", isMain: true },
    { name: "deletionWaitsFor", type: "stringList" },
  ],
  project: projectNamespace,
};

function projectNamespace(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "phase", textOf(object, "status", "phase"));
  // All conditions of a namespace concern its deletion. Each true one names something that remains.
  const waitsFor = conditionsOf(object).filter(({ status, message }) => status === "True" && message !== "");
  const texts = waitsFor.map(({ message }) => message);
  setColumn(columns, "deletionWaitsFor", texts);
  return { columns };
}
