// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { fieldRefText, parseCountedFields, parseSort, printSort } from "../../index/language/field-ref.ts";
import type { LivePage, LiveState } from "../../index/live/live-page.ts";
import type { CursorBinding } from "../../index/query/cursor-codec.ts";
import type { FacetAnswer } from "../../index/query/query-request.ts";
import { type LiveQuery, type LiveQueryUpdate, maxQueryRows } from "../rows/fleet-queries.ts";
import type { GroupedView } from "./live-group.ts";
import { bindingOf, type QueryViewer, type ReadQuery, refuseMoment } from "./query-runs.ts";

/** What the reader got last, besides rows. */
export interface ShownCounts {
  readonly total: number;
  readonly facets: readonly FacetAnswer[];
  readonly clusters: readonly string[];
}

/** A call that waits for an update. */
export interface WaitingCall {
  readonly resolve: (update: LiveQueryUpdate | undefined) => void;
  readonly reject: (reason: Error) => void;
}

/** One open live view. Nothing is queued for it: it remembers what its reader has. */
export interface LiveReader extends GroupedView {
  readonly id: number;
  readonly binding: CursorBinding;
  /** The kinds that the query selects; undefined for all. */
  readonly resources: ReadonlySet<string> | undefined;
  /** The position that the view was opened with. */
  readonly resumedFrom: string;
  by: QueryViewer;
  /** The rows that the reader has; undefined for none. */
  page: LivePage | undefined;
  /** Undefined before the first update. */
  shown: ShownCounts | undefined;
  /** The state that was last seen to be what the reader has. */
  seen: WeakRef<LiveState> | undefined;
  /** The clusters of the query, and for what they were found. */
  covered: { readonly by: QueryViewer; readonly version: number; readonly clusters: readonly string[] } | undefined;
  /** The distinct positions of the last updates, the newest last. The reader may have lost the later ones. */
  positions: readonly string[];
  waiting: WaitingCall | undefined;
  /** Ends the wait, or the view if it is not read. */
  cancelTimer: () => void;
  /** The view cannot go on; the next call throws it. */
  failure: Error | undefined;
}

/** What a view shows, from its query. Throws INVALID_ARGUMENT for a mistake. */
export function toGroupedView(
  read: ReadQuery,
  by: QueryViewer,
  { limit, sort: sortTexts, facets: facetTexts }: LiveQuery,
): GroupedView & Pick<LiveReader, "binding"> {
  if (read.atMs !== undefined) refuseMoment();
  if (!Number.isInteger(limit) || limit < 0 || limit > maxQueryRows)
    throw new FlotillaError("INVALID_ARGUMENT", `a live view has 0 to ${maxQueryRows} rows; the limit is ${limit}`);
  const { filter, catalog, canonicalText } = read;
  const sort = parseSort(sortTexts.join(","), catalog);
  const facets = parseCountedFields(facetTexts.join(","), "facets", catalog);
  return {
    question: { filter, limit, sort, facets },
    // Users may know different kinds by the same name, so the checked query counts and not its text.
    questionKey: JSON.stringify([filter, limit, printSort(sort), facets.map(fieldRefText)]),
    by,
    binding: bindingOf(by.viewer, canonicalText, printSort(sort)),
  };
}
