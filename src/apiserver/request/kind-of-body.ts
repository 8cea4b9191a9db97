// SPDX-License-Identifier: Apache-2.0
import { quoteGo } from "../json/quote-go.ts";
import type { ExpectedKind } from "../protobuf/decode-protobuf.ts";
import type { SchemaTable } from "../schema/schema.ts";
import { apiVersionOf } from "../storage/render-object.ts";
import { innerGoKind } from "./go-kind.ts";

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
