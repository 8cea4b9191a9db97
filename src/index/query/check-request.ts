// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { maxFacets, maxGroupFields, maxSortFields } from "../language/field-ref.ts";
import { maxPageRows, type QueryRequest } from "./query-request.ts";

/** Refuses a request beyond the bounds of a query with INVALID_ARGUMENT. */
export function checkRequest({ limit, sort = [], after, facets, group }: QueryRequest): void {
  if (!Number.isInteger(limit) || limit < 0 || limit > maxPageRows)
    refuse(`a page has 0 to ${maxPageRows} rows; the limit is ${limit}`);
  if (sort.length > maxSortFields) refuse(`rows are sorted by at most ${maxSortFields} fields`);
  if (facets.length > maxFacets) refuse(`a query has at most ${maxFacets} facets`);
  if (group !== undefined && (group.by.length === 0 || group.by.length > maxGroupFields))
    refuse(`rows are grouped by one to ${maxGroupFields} fields`);
  if (after !== undefined && after.values.length !== sort.length) refuse("the cursor is not one of this query");
}

function refuse(fault: string): never {
  throw new FlotillaError("INVALID_ARGUMENT", fault);
}
