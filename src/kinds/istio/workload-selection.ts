// SPDX-License-Identifier: Apache-2.0
// What an Istio object applies to: selected workloads, target references and scope (N-62).
import { fieldOf, isObject, listOf, textMapOf, textOf } from "../fields.ts";
import { type ClusterFacts, type Columns, jsonTexts, type KindColumn, setColumn } from "../kind.ts";
import { selectorTexts } from "../service-kind.ts";

/**
 * Columns of kinds that select workloads. `scope` is `workload` with a selector or target references, else `mesh` in a
 * root namespace of a mesh, else `namespace`.
 */
export const selectionColumns: readonly KindColumn[] = [
  { name: "scope", type: "string", isMain: true },
  { name: "selector", type: "stringList", isMain: true },
  { name: "targetRefs", type: "stringList", isJson: true },
];

/** Sets the selection columns. `path` leads to the match labels, which differs between Istio's API groups. */
export function setSelection(
  columns: Columns,
  object: unknown,
  facts: ClusterFacts,
  path: readonly string[] = ["spec", "selector", "matchLabels"],
): void {
  const selector = selectorTexts(textMapOf(object, ...path));
  const targets = targetRefsOf(object);
  const namespace = textOf(object, "metadata", "namespace") ?? "";
  const isSelective = selector.length > 0 || targets.length > 0;
  const isMeshWide = facts.meshRootNamespaces.has(namespace);
  columns.set("scope", isSelective ? "workload" : isMeshWide ? "mesh" : "namespace");
  setColumn(columns, "selector", selector);
  setColumn(columns, "targetRefs", jsonTexts(targets));
}

/** `targetRefs`, and `targetRef` of older versions, as one list. */
function targetRefsOf(object: unknown): readonly Readonly<Record<string, unknown>>[] {
  const single = fieldOf(object, "spec", "targetRef");
  const all = [...(isObject(single) ? [single] : []), ...listOf(object, "spec", "targetRefs")];
  return all.map((each) => ({
    group: textOf(each, "group"),
    kind: textOf(each, "kind"),
    namespace: textOf(each, "namespace"),
    name: textOf(each, "name"),
  }));
}
