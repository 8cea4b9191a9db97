// SPDX-License-Identifier: Apache-2.0
// The moments that questions about the past ask for.
import { FlotillaError } from "../../base/error.ts";
import { parseMoment } from "../../index/language/query-moment.ts";
import type { CursorBinding, CursorCodec, QueryCursor } from "../../index/query/cursor-codec.ts";
import { checkChangedTime, checkDeletedSince, checkPastMoment, defaultDeletedMs } from "../past/check-moments.ts";
import type { PastPurpose } from "../past/past-messages.ts";
import type { ChangesQuery, CompareQuery, DeletedQuery, FleetQuery, ProblemQuery } from "../rows/fleet-queries.ts";
import { bindingOfComparison, bindingOfProblem } from "./analysis-reads.ts";
import { bindingOf, bindingOfList, type QueryViewer, type ReadQuery } from "./query-runs.ts";

/** A question that needs past rows. */
export type PastQuestion =
  | { readonly kind: "list"; readonly query: FleetQuery }
  | { readonly kind: "problems"; readonly query: ProblemQuery }
  | { readonly kind: "compare"; readonly query: CompareQuery }
  | { readonly kind: "changes"; readonly query: ChangesQuery };

/** What a question needs of the past. */
export interface PastMoments {
  readonly purpose: PastPurpose;
  /** Milliseconds since 1970, ascending: one moment for a state, two otherwise. */
  readonly moments: readonly number[];
}

/** After every change that the log has, also those whose receive time is ahead because the clock was set back (FL8). */
const endOfLogMs = Number.MAX_SAFE_INTEGER;

/**
 * The moments of a question. Later pages are about the moments of the first one, which their cursor has. Throws
 * INVALID_ARGUMENT for a moment that is no moment, is in the future, or does not fit the question.
 */
export function momentsOf(
  question: PastQuestion,
  {
    by,
    read,
    cursors,
    nowMs,
  }: {
    readonly by: QueryViewer;
    readonly read: ReadQuery;
    readonly cursors: CursorCodec;
    readonly nowMs: number;
  },
): PastMoments {
  const cursor = decodeCursor(cursors, question.query.cursor, bindingOfQuestion(question, by, read));
  if (question.kind === "changes")
    return { purpose: "changes", moments: changedTime(question.query, read, cursor, nowMs) };
  const deleted = question.kind === "list" ? question.query.deleted : undefined;
  if (deleted !== undefined)
    return { purpose: "deletes", moments: [deletedSince(deleted, read, cursor, nowMs), endOfLogMs] };
  const atMs = cursor?.atMs ?? read.atMs ?? nowMs;
  checkPastMoment(atMs, nowMs);
  return { purpose: "state", moments: [atMs] };
}

export function bindingOfChanges(
  { viewer }: QueryViewer,
  { canonicalText }: ReadQuery,
  { from, to }: ChangesQuery,
): CursorBinding {
  return bindingOf(viewer, canonicalText, `changes ${JSON.stringify([from, to])}`);
}

function bindingOfQuestion(question: PastQuestion, by: QueryViewer, read: ReadQuery): CursorBinding {
  switch (question.kind) {
    case "list":
      return bindingOfList(by, read, question.query);
    case "problems":
      return bindingOfProblem(by, read, question.query);
    case "compare":
      return bindingOfComparison(by, read, question.query);
    case "changes":
      return bindingOfChanges(by, read, question.query);
  }
}

function decodeCursor(cursors: CursorCodec, text: string, binding: CursorBinding): QueryCursor | undefined {
  return text === "" ? undefined : cursors.decode(text, binding);
}

function changedTime(
  { from, to }: ChangesQuery,
  { atMs }: ReadQuery,
  cursor: QueryCursor | undefined,
  nowMs: number,
): readonly number[] {
  refuseMomentIn(atMs, "changes are listed between two moments; give them as `from` and `to`, and remove `at`");
  const [firstMs, lastMs] = cursor?.position.values ?? [];
  if (typeof firstMs === "number" && typeof lastMs === "number") return [firstMs, lastMs];
  const fromMs = readMoment("from", from, nowMs);
  const toMs = to === "" ? nowMs : readMoment("to", to, nowMs);
  checkChangedTime(fromMs, toMs, nowMs);
  return [fromMs, toMs];
}

function deletedSince(
  { since }: DeletedQuery,
  { atMs }: ReadQuery,
  cursor: QueryCursor | undefined,
  nowMs: number,
): number {
  refuseMomentIn(atMs, "deleted objects are those that do not exist now; remove `at`, or ask for changes until then");
  if (cursor?.atMs !== undefined) return cursor.atMs;
  const sinceMs = since === "" ? nowMs - defaultDeletedMs : readMoment("deleted_since", since, nowMs);
  checkDeletedSince(sinceMs, nowMs);
  return sinceMs;
}

function refuseMomentIn(atMs: number | undefined, sentence: string): void {
  if (atMs !== undefined) throw new FlotillaError("INVALID_ARGUMENT", sentence);
}

function readMoment(what: string, text: string, nowMs: number): number {
  return parseMoment({ pattern: text, at: 0 }, nowMs, what);
}
