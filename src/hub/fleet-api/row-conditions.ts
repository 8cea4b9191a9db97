// SPDX-License-Identifier: Apache-2.0
// Conditions on rows as parts of a query, so that the language's own printer quotes every value.
import { compareField, literalPattern } from "../../index/language/build-query.ts";
import type { QuerySyntax } from "../../index/language/query-syntax.ts";
import { isDnsLabel } from "../../model/dns-name.ts";

/** The field is one of these texts. */
export function isOneOf(field: string, texts: readonly string[]): QuerySyntax {
  return texts.length === 0 ? nothing : compareField(field, "=", texts.map(literalPattern));
}

/** The field is none of these texts, or absent. */
export function isNoneOf(field: string, texts: readonly string[]): QuerySyntax {
  return not(isOneOf(field, texts));
}

/** The field has a value, which may be empty. */
export function exists(field: string): QuerySyntax {
  return compareField(field, "=", ["*"]);
}

/** The field has a value of at least one character. */
export function isNotEmpty(field: string): QuerySyntax {
  return compareField(field, "=", ["?*"]);
}

/** The field is a number above 0. */
export function isPositive(field: string): QuerySyntax {
  return compareField(field, ">", ["0"]);
}

/** Holds for no row: every row has a name. */
export const nothing: QuerySyntax = { kind: "not", of: exists("name") };

/** Holds for every row. */
export const everything: QuerySyntax = { kind: "all" };

export function not(condition: QuerySyntax): QuerySyntax {
  if (condition.kind === "all") return nothing;
  return condition.kind === "not" ? condition.of : { kind: "not", of: condition };
}

/** All of these hold. */
export function allOf(conditions: readonly QuerySyntax[]): QuerySyntax {
  const parts = conditions.flatMap((each) => (each.kind === "all" ? [] : each.kind === "and" ? each.parts : [each]));
  const [first] = parts;
  if (first === undefined) return everything;
  return parts.length === 1 ? first : { kind: "and", parts };
}

/** A name as users write it. */
export interface WrittenName {
  readonly name: string;
  readonly cluster: string;
}

/**
 * `web-1@east` in parts; undefined for a name without a cluster. Names of most kinds have no `@`. Those of RBAC may, so
 * the text is also read as a whole name.
 */
export function splitName(written: string): WrittenName | undefined {
  const at = written.lastIndexOf("@");
  if (at < 1 || !isDnsLabel(written.slice(at + 1))) return undefined;
  return { name: written.slice(0, at), cluster: written.slice(at + 1) };
}

/** The name is this one, in any cluster or in the one that is written with it (FA6). */
export function isNamed(written: string): QuerySyntax {
  const whole = isOneOf("name", [written]);
  const parts = splitName(written);
  if (parts === undefined) return whole;
  return {
    kind: "or",
    parts: [whole, allOf([isOneOf("cluster", [parts.cluster]), isOneOf("name", [parts.name])])],
  };
}

/** As `isNamed`, for one key. */
export function hasName(written: string, { cluster, name }: WrittenName): boolean {
  const parts = splitName(written);
  return name === written || (parts?.name === name && parts.cluster === cluster);
}
