// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { parseQuery } from "./parse-query.ts";
import { resolveField } from "./query-fields.ts";
import type { QuerySyntax } from "./query-syntax.ts";

/** The position of `at:` in the text of a query; undefined if it has none. */
export function findMoment(query: QuerySyntax): number | undefined {
  switch (query.kind) {
    case "and":
    case "or":
      return query.parts.map(findMoment).find((at) => at !== undefined);
    case "not":
      return findMoment(query.of);
    case "compare":
      return resolveField(query.field)?.field === "at" ? query.at : undefined;
    default:
      return undefined;
  }
}

/** Whether a text asks for a past moment. False for a text that is not a query: it is refused where it is read. */
export function isAboutPast(text: string): boolean {
  try {
    return findMoment(parseQuery(text)) !== undefined;
  } catch (reason) {
    if (reason instanceof FlotillaError) return false;
    throw reason;
  }
}
