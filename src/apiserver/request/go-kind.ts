// SPDX-License-Identifier: Apache-2.0
import type { Resource } from "../resources/resource.ts";

/** Groups whose internal Go package is not named after the group's first part. */
const packages: ReadonlyMap<string, string> = new Map([
  ["", "core"],
  ["events.k8s.io", "core"],
]);

/**
 * A built-in kind's internal Go type, which some of kube-apiserver's messages contain: `core.ConfigMap`, `rbac.Role`.
 */
export function innerGoKind({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${packages.get(group) ?? group.split(".", 1)[0] ?? ""}.${kind}`;
}

/** The Go type of an object, or a list, of any resource. */
export function goTypeName({ facts, isCustom, listKind }: Resource, shape: "object" | "list"): string {
  if (isCustom) return shape === "list" ? "*unstructured.UnstructuredList" : "*unstructured.Unstructured";
  return `*${innerGoKind({ group: facts.group, kind: shape === "list" ? listKind : facts.kind })}`;
}
