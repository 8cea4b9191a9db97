// SPDX-License-Identifier: Apache-2.0
import { hasCode } from "../../base/error.ts";
import {
  type CompletionCatalog,
  completeQuery,
  neededValues,
  type QueryCompletion,
  type ValueCount,
} from "../language/complete-query.ts";
import { findCompletionPlace } from "../language/completion-place.ts";
import type { QueriedFleet, QueryRequest } from "./query-request.ts";
import { runQuery } from "./run-query.ts";

export interface CompletionRequest extends Pick<QueryRequest, "visibilityOf" | "nowMs" | "budget"> {
  readonly text: string;
  /** In UTF-16 units from 0. */
  readonly caret: number;
  readonly catalog: Pick<CompletionCatalog, "kindNames" | "columnNames">;
}

/**
 * Completes a query at a caret, in slices as `runQuery`. Values, keys and counts are those of visible rows alone. A
 * field with too many values has no completions.
 */
export function* runCompletion(
  fleet: QueriedFleet,
  request: CompletionRequest,
): Generator<void, QueryCompletion, undefined> {
  const { text, caret, catalog } = request;
  const values = yield* listValues(fleet, request);
  return completeQuery(text, caret, { ...catalog, listValues: () => values });
}

function* listValues(
  fleet: QueriedFleet,
  { text, caret, visibilityOf, nowMs, budget }: CompletionRequest,
): Generator<void, readonly ValueCount[], undefined> {
  const needed = neededValues(findCompletionPlace(text, caret));
  if (needed === undefined) return [];
  try {
    const answer = yield* runQuery(fleet, {
      filter: { kind: "all" },
      visibilityOf,
      limit: 0,
      facets: [needed],
      nowMs,
      budget,
    });
    return answer.facets[0]?.values ?? [];
  } catch (reason) {
    if (hasCode(reason, "TOO_LARGE")) return [];
    throw reason;
  }
}
