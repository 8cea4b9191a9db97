// SPDX-License-Identifier: Apache-2.0
import type { Resource } from "../resources/resource.ts";

/** Groups whose package of inner types has another name than the group's first part. */
const packages: ReadonlyMap<string, string> = new Map([
  ["", "core"],
  ["events.k8s.io", "core"],
]);

/** The name of a built-in kind's inner type in Go, which some of the real server's sentences show: `core.ConfigMap`, `rbac.Role`. */
export function innerGoKind({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${packages.get(group) ?? group.split(".", 1)[0] ?? ""}.${kind}`;
}

/** The same for an object, or a list, of any resource. */
export function goTypeName({ facts, isCustom, listKind }: Resource, shape: "object" | "list"): string {
  if (isCustom) return shape === "list" ? "*unstructured.UnstructuredList" : "*unstructured.Unstructured";
  return `*${innerGoKind({ group: facts.group, kind: shape === "list" ? listKind : facts.kind })}`;
}
