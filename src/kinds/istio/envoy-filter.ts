// SPDX-License-Identifier: Apache-2.0
import { integerOf, listOf, textOf } from "../fields.ts";
import { type ClusterFacts, type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { istioStatus } from "./istio-status.ts";
import { selectionColumns, setSelection } from "./workload-selection.ts";

/** EnvoyFilters: where proxies' configuration is patched, and how (N-17). What is patched in may hold anything, secrets too, and stays behind (L18). */
export const envoyFilterKind: Kind = {
  resource: { group: "networking.istio.io", resource: "envoyfilters" },
  kind: "EnvoyFilter",
  versions: ["v1alpha3"],
  isNamespaced: true,
  isConfiguration: true,
  usesFacts: true,
  columns: [
    ...selectionColumns,
    { name: "patches", type: "stringList", isJson: true, isMain: true },
    { name: "priority", type: "integer" },
  ],
  project: projectEnvoyFilter,
};

function projectEnvoyFilter(object: unknown, facts: ClusterFacts): Projected {
  const columns: Columns = new Map();
  setSelection(columns, object, facts, ["spec", "workloadSelector", "labels"]);
  setColumn(columns, "patches", jsonTexts(listOf(object, "spec", "configPatches").map(toPatch)));
  setColumn(columns, "priority", integerOf(object, "spec", "priority"));
  return { columns, ...istioStatus(object) };
}

function toPatch(patch: unknown): Readonly<Record<string, unknown>> {
  return {
    applyTo: textOf(patch, "applyTo"),
    operation: textOf(patch, "patch", "operation"),
    context: textOf(patch, "match", "context"),
  };
}
