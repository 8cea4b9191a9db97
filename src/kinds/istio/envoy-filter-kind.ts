// SPDX-License-Identifier: Apache-2.0
import { integerOf, listOf, textOf } from "../fields.ts";
import { type ClusterFacts, type Columns, jsonTexts, type Kind, type Projected, setColumn } from "../kind.ts";
import { istioStatus } from "./istio-status.ts";
import { selectionColumns, setSelection } from "./workload-selection.ts";

/**
 * EnvoyFilters: which parts of the proxies' configuration are patched, and by which operation (N-17). The patch itself
 * may hold secrets and is not collected (L18).
 */
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
