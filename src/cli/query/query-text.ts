// SPDX-License-Identifier: Apache-2.0
// Parts of query texts that are made from options. The language is docs/spec/query.md.
import { printQuery } from "../../index/language/print-query.ts";
import type { QueryComparison, QueryOperator, QuerySyntax } from "../../index/language/query-syntax.ts";

/** The pattern of exactly this text: wildcards, quotes and backslashes in it are literal. */
export function literalPattern(text: string): string {
  return text.replace(/[\\*?"']/g, "\\$&");
}

/** The pattern of a glob of the command line: `*` and `?` are wildcards, everything else is literal. */
export function globPattern(glob: string): string {
  return glob.replace(/[\\"']/g, "\\$&");
}

/** A comparison that holds if the field compares so with one of the patterns, of which there is at least one. */
export function compareField(field: string, operator: QueryOperator, patterns: readonly string[]): QueryComparison {
  return { kind: "compare", field, operator, values: patterns.map((pattern) => ({ pattern, at: 0 })), at: 0 };
}

/** The text of a query in which all parts hold. */
export function joinQuery(parts: readonly QuerySyntax[]): string {
  const [first] = parts;
  if (first === undefined) return "";
  return printQuery(parts.length === 1 ? first : { kind: "and", parts });
}

/** The query as of a moment. `at:` stands beside the whole query, so that it may contain `or`. */
export function queryAt(query: string, at: string): string {
  if (at === "") return query;
  const moment = printQuery(compareField("at", "=", [literalPattern(at)]));
  return query.trim() === "" ? moment : `(${query}) ${moment}`;
}
