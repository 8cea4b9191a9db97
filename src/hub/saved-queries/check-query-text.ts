// SPDX-License-Identifier: Apache-2.0
import { hasCode } from "../../base/error.ts";
import { findMoment } from "../../index/language/find-moment.ts";
import { parseQuery } from "../../index/language/parse-query.ts";
import { printQuery } from "../../index/language/print-query.ts";
import { refuseQuery } from "../../index/language/query-error.ts";
import { plainQuery } from "../rows/fleet-queries.ts";
import { checkColumns, checkFieldLengths, checkQueryDescription } from "./query-limits.ts";
import type { ViewerQueries } from "./read-members.ts";
import type { SavedContent } from "./saved-query-record.ts";

/**
 * Checks a query with the rights of its owner and returns its canonical text (QL7). Throws INVALID_ARGUMENT with the
 * position of a mistake; a name that the owner cannot see is one (L17).
 */
async function checkText(
  queries: ViewerQueries,
  wanted: Pick<SavedContent, "query" | "sort" | "facets" | "groupBy">,
  signal: AbortSignal,
): Promise<string> {
  const syntax = parseQuery(wanted.query);
  const { query: text, sort, facets, groupBy } = wanted;
  try {
    await queries.list({ ...plainQuery, text, limit: 0, sort, facets, groupBy }, signal);
  } catch (reason) {
    // Names are checked before any row is read: the query is correct, and its rows took too long or are not kept.
    const isCorrect = (["DEADLINE_EXCEEDED", "TOO_LARGE", "GONE"] as const).some((code) => hasCode(reason, code));
    if (!isCorrect) throw reason;
  }
  return printQuery(syntax);
}

/** The content of a saved query, checked as a whole, with its canonical text (SQ3). Throws INVALID_ARGUMENT. */
export async function checkSavedContent(
  queries: ViewerQueries,
  wanted: SavedContent,
  signal: AbortSignal,
): Promise<SavedContent> {
  const content = {
    description: checkQueryDescription(wanted.description),
    columns: checkColumns(wanted.columns),
    sort: checkFieldLengths("sort", wanted.sort),
    facets: checkFieldLengths("facets", wanted.facets),
    groupBy: checkFieldLengths("group_by", wanted.groupBy),
  };
  return { ...content, query: await checkText(queries, { ...content, query: wanted.query }, signal) };
}

/** The canonical text of a standing query, which is about the present. Throws INVALID_ARGUMENT. */
export async function checkStandingText(queries: ViewerQueries, query: string, signal: AbortSignal): Promise<string> {
  const at = findMoment(parseQuery(query));
  if (at !== undefined) refuseQuery(at, "a standing query is about the present; remove `at`");
  return checkText(queries, { query, sort: [], facets: [], groupBy: [] }, signal);
}
