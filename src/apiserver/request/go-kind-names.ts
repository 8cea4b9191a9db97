// SPDX-License-Identifier: Apache-2.0
import { quoteGo } from "../json/quote-go.ts";
import type { ExpectedKind } from "../protobuf/decode-protobuf.ts";
import type { Resource } from "../resources/resource.ts";
import type { SchemaTable } from "../schema/schema.ts";
import { apiVersionOf } from "../storage/render-object.ts";

/** Groups whose internal Go package is not named after the group's first part. */
const packages: ReadonlyMap<string, string> = new Map([
  ["", "core"],
  ["events.k8s.io", "core"],
]);

/**
 * A built-in kind's internal Go type, which some of kube-apiserver's messages contain: `core.ConfigMap`, `rbac.Role`.
 */
function innerGoKind({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${packages.get(group) ?? group.split(".", 1)[0] ?? ""}.${kind}`;
}

/** The Go type of an object, or a list, of any resource. */
export function goTypeName({ facts, isCustom, listKind }: Resource, shape: "object" | "list"): string {
  if (isCustom) return shape === "list" ? "*unstructured.UnstructuredList" : "*unstructured.Unstructured";
  return `*${innerGoKind({ group: facts.group, kind: shape === "list" ? listKind : facts.kind })}`;
}

/**
 * kube-apiserver's message if an object of one built-in kind cannot be converted to another; undefined if it can, even
 * from another version.
 */
export function conversionProblem(table: SchemaTable, named: ExpectedKind, expected: ExpectedKind): string | undefined {
  const isSame = named.kind === expected.kind && named.group === expected.group && named.version === expected.version;
  if (isSame) return undefined;
  if (table.ofKind(named.group, named.version, named.kind) === undefined) return notRegistered(named.kind, named);
  if (innerGoKind(named) === innerGoKind(expected)) return undefined;
  return `converting (${named.version}.${named.kind}) to (${innerGoKind(expected)}): unknown conversion`;
}

/** kube-apiserver's message for an unknown kind. */
export function notRegistered(kind: string, at: { readonly group: string; readonly version: string }): string {
  return `no kind ${quoteGo(kind)} is registered for version ${quoteGo(apiVersionOf(at))} in scheme "pkg/runtime/scheme.go:111"`;
}
