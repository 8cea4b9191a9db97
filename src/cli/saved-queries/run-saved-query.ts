// SPDX-License-Identifier: Apache-2.0
import type { FollowCall } from "../hub/follow-hub.ts";
import type { QueryFormat } from "../query/query-format.ts";
import { columnFormats, queryObjects } from "../query/query-objects.ts";
import { loadSavedQuery } from "./list-saved-queries.ts";
import type { SavedQueryChoice } from "./save-query.ts";

/** A saved query to run. */
export interface SavedRun extends SavedQueryChoice {
  /** 0 = all. */
  readonly limit: number;
  readonly format: QueryFormat;
}

const formatsWithFacets: ReadonlySet<QueryFormat> = new Set(["table", "wide", "json", "yaml"]);

/**
 * Runs a saved query with the rights of the user, as `query` does (SQ1). Facets and columns are left out of formats that
 * have none, and order and columns do not apply to groups.
 */
export async function runSavedQuery(call: FollowCall, { limit, format, ...choice }: SavedRun): Promise<void> {
  const {
    query = "",
    sort = [],
    facets = [],
    groupBy = [],
    columns = [],
  } = (await loadSavedQuery(call, choice)).content ?? {};
  await queryObjects(call, {
    query,
    at: "",
    limit,
    sort: groupBy.length > 0 ? [] : sort,
    facets: formatsWithFacets.has(format) ? facets : [],
    groupBy,
    columns: groupBy.length === 0 && columnFormats.has(format) ? columns : [],
    measure: "",
    explain: false,
    watch: false,
    includeDeleted: false,
    deleted: false,
    sinceMs: 0,
    changesSince: "",
    until: "",
    format,
  });
}
