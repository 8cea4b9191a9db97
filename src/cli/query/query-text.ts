// SPDX-License-Identifier: Apache-2.0
// Parts of query texts that are made from options. The language is docs/spec/query.md.
import { compareField, literalPattern } from "../../index/language/build-query.ts";
import { printQuery } from "../../index/language/print-query.ts";
import type { QuerySyntax } from "../../index/language/query-syntax.ts";

/** The pattern of a glob of the command line: `*` and `?` are wildcards, everything else is literal. */
export function globPattern(glob: string): string {
  return glob.replace(/[\\"']/g, "\\$&");
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
