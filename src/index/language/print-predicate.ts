// SPDX-License-Identifier: Apache-2.0
import { unreachable } from "../../base/assert.ts";
import { printQuery } from "./print-query.ts";
import type { ColumnTest, Predicate, TextTest } from "./query-predicate.ts";
import type { QueryOperator, QuerySyntax } from "./query-syntax.ts";
import { escapePattern } from "./text-pattern.ts";

/** A predicate that is no combination of others. */
export type LeafPredicate = Exclude<Predicate, { readonly kind: "all" | "and" | "or" | "not" }>;

/** The text of one part of a checked query, which reads as a query of its own. Durations are in milliseconds. */
export function printPredicate(predicate: LeafPredicate): string {
  return printQuery(toSyntax(predicate));
}

function toSyntax(predicate: LeafPredicate): QuerySyntax {
  switch (predicate.kind) {
    case "resources":
      return compare("kind", "=", ...predicate.resources.map(escapePattern));
    case "status":
      return compare("status", "=", predicate.status);
    case "field":
      return compareText(predicate.field, predicate.test);
    case "label":
    case "annotation":
      return compareText(`${predicate.kind}.${predicate.key}`, predicate.test);
    case "age":
      return compare("age", predicate.order, `${predicate.ms}ms`);
    case "created":
      return compare("created", predicate.order, new Date(predicate.atMs).toISOString());
    case "owner":
      return compareText("owner", predicate.test, predicate.ownerKind === "" ? "" : `${predicate.ownerKind}/`);
    case "image":
      return compareText("image", predicate.test);
    case "text":
      return { kind: "text", value: { pattern: predicate.test.pattern, at: 0 } };
    case "column":
      return compareColumn(`field.${predicate.column}`, predicate.test);
    default:
      return unreachable(predicate, "predicate");
  }
}

function compare(field: string, operator: QueryOperator, ...patterns: readonly string[]): QuerySyntax {
  return { kind: "compare", field, operator, values: patterns.map((pattern) => ({ pattern, at: 0 })), at: 0 };
}

function compareText(field: string, test: TextTest, prefix = ""): QuerySyntax {
  if (test.kind === "equals") return compare(field, "=", escapePattern(prefix + test.text));
  return compare(field, test.kind === "matches" ? "=" : "~", escapePattern(prefix) + test.pattern);
}

/** The typed tests of a column have one literal, so the first that is there prints it. */
function compareColumn(field: string, { text, number, boolean, quantity, version, address }: ColumnTest): QuerySyntax {
  if (text !== undefined) return compareText(field, text);
  const ordered = number ?? quantity ?? version ?? address;
  if (ordered !== undefined) return compare(field, ordered.order, escapePattern(String(ordered.value)));
  return compare(field, "=", String(boolean));
}
