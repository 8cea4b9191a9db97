// SPDX-License-Identifier: Apache-2.0
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
