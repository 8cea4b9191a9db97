// SPDX-License-Identifier: Apache-2.0
import type { StatusReport } from "../model/status.ts";
import { compareUtf8 } from "../model/text.ts";
import { type Condition, conditionsOf, findCondition, statusFrom } from "./conditions.ts";
import { booleanOf, integerOf, listOf, textOf, textsOf } from "./fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "./kind.ts";

/** CustomResourceDefinitions: the names and versions they define. Their schemas are not collected. */
export const customResourceDefinitionKind: Kind = {
  resource: { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" },
  kind: "CustomResourceDefinition",
  versions: ["v1"],
  isNamespaced: false,
  columns: [
    { name: "group", type: "string", isMain: true },
    { name: "definedKind", type: "string", isMain: true },
    { name: "plural", type: "string" },
    { name: "singular", type: "string" },
    { name: "shortNames", type: "stringList" },
    { name: "categories", type: "stringList" },
    { name: "scope", type: "string", isMain: true },
    { name: "versions", type: "stringList", isJson: true, isMain: true },
    { name: "storedVersions", type: "stringList" },
  ],
  project: projectDefinition,
};

function projectDefinition(object: unknown): Projected {
  const columns: Columns = new Map();
  const conditions = conditionsOf(object);
  setColumn(columns, "group", textOf(object, "spec", "group"));
  setColumn(columns, "definedKind", textOf(object, "spec", "names", "kind"));
  setColumn(columns, "plural", textOf(object, "spec", "names", "plural"));
  setColumn(columns, "singular", textOf(object, "spec", "names", "singular"));
  for (const list of ["shortNames", "categories"])
    setColumn(columns, list, [...textsOf(object, "spec", "names", list)].sort(compareUtf8));
  setColumn(columns, "scope", textOf(object, "spec", "scope"));
  setColumn(columns, "versions", jsonTexts(listOf(object, "spec", "versions").map(toVersion)));
  setColumn(columns, "storedVersions", textsOf(object, "status", "storedVersions"));
  return {
    columns,
    status: statusOf(conditions),
    reconcile: {
      generation: integerOf(object, "metadata", "generation") ?? 0,
      observedGeneration: undefined,
      hasConditions: conditions.length > 0,
    },
  };
}

/** Refused names prevent it from being served: `unhealthy`. Before it is established it is `progressing`. */
function statusOf(conditions: readonly Condition[]): StatusReport | undefined {
  const names = findCondition(conditions, "NamesAccepted");
  if (names?.status === "False") return statusFrom("unhealthy", names);
  const established = findCondition(conditions, "Established");
  return established?.status === "False" ? statusFrom("progressing", established) : undefined;
}

function toVersion(version: unknown): Readonly<Record<string, unknown>> {
  return {
    name: textOf(version, "name"),
    served: booleanOf(version, "served"),
    storage: booleanOf(version, "storage"),
    deprecated: booleanOf(version, "deprecated"),
  };
}
