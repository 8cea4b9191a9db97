// SPDX-License-Identifier: Apache-2.0
// Queries over the rows of all clusters, for one subject. Every answer is computed over what the subject may see (L17).
import type { AccessHolder } from "../../index/access/access-holder.ts";
import type { AccessRuleRow } from "../../index/access/access-rule-rows.ts";
import type { ObjectExplanation } from "../../index/access/explain-object.ts";
import type { ObjectViewers } from "../../index/access/who-can-see.ts";
import type { ComparedObject } from "../../index/compare/compare-object.ts";
import type { Problem } from "../../index/problems/problem.ts";
import type { RelationsAnswer } from "../../index/relations/find-relations.ts";
import type { Row } from "../../model/rows/row.ts";
import type { Subject } from "../../model/subject.ts";
import type { PastChange, SelectionChange } from "../past/past-changes-page.ts";

/** A query in the language of docs/spec/query.md, and what its answer has. */
export interface FleetQuery {
  /** "" selects every visible row. With `at:` the answer is about that moment (QL30). */
  readonly text: string;
  /** The most rows of the page; 0 for none. At most `maxQueryRows`. */
  readonly limit: number;
  /** `next` of the previous page; "" for the first. */
  readonly cursor: string;
  /** Fields, each with `-` before it to descend. */
  readonly sort: readonly string[];
  /** Fields to count by. */
  readonly facets: readonly string[];
  /** Fields to group by. */
  readonly groupBy: readonly string[];
  /** The field whose least and greatest values each group has; "" for none. */
  readonly measure: string;
  /** Whether the answer has the plan. */
  readonly explain: boolean;
  /** Left out: only objects that exist. */
  readonly deleted?: DeletedQuery | undefined;
}

/** Deleted objects in an answer (QL32). */
export interface DeletedQuery {
  /** A moment as a query has it; "" for the default. */
  readonly since: string;
  /** Objects that exist are left out. */
  readonly isOnly: boolean;
}

/** A query for rows alone, in key order. */
export const plainQuery: Omit<FleetQuery, "text" | "limit"> = {
  cursor: "",
  sort: [],
  facets: [],
  groupBy: [],
  measure: "",
  explain: false,
};

/** The most rows of one page. */
export const maxQueryRows = 500;

/** A row, its cluster and its kind. */
export interface FoundFleetRow {
  readonly cluster: string;
  /** The text of the resource id. */
  readonly resource: string;
  readonly kind: string;
  readonly row: Row;
  /** Since when the object is in trouble, by the hub's wall clock; undefined if it is not, or if unknown (HE18). */
  readonly troubledSinceMs: number | undefined;
  /** When the hub received that the object is deleted. Left out for objects that are not. */
  readonly removedAtMs?: number;
}

/** The rows of a query by the values of one field. */
export interface FleetFacet {
  readonly field: string;
  /** The most frequent first. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
  readonly otherCount: number;
  readonly noneCount: number;
}

/** Rows with the same values of the grouped fields. */
export interface QueriedGroup {
  /** One per field; undefined for rows without a value. */
  readonly values: readonly (string | undefined)[];
  readonly count: number;
  readonly least: number | undefined;
  readonly greatest: number | undefined;
}

export interface FleetQueryAnswer extends CoveredClusters {
  readonly rows: readonly FoundFleetRow[];
  /** Exact, of all pages. */
  readonly total: number;
  /** "" after the last page. */
  readonly next: string;
  readonly facets: readonly FleetFacet[];
  readonly groups: readonly QueriedGroup[];
  /** Groups beyond those listed. */
  readonly leftOutGroupCount: number;
  readonly canonicalText: string;
  /** With `explain`. */
  readonly plan: readonly string[];
  readonly rowsRead: number;
  readonly tookMs: number;
}

/** Names one object of the fleet. */
export interface QueriedObject {
  readonly cluster: string;
  /** The text of the resource id. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** One change of a live view. */
export interface LiveQueryUpdate extends CoveredClusters {
  /** The update has all rows of the view; earlier ones no longer count. */
  readonly isSnapshot: boolean;
  /** Entered, changed or moved, in the order of the query. */
  readonly rows: readonly FoundFleetRow[];
  /**
   * The places of `rows` in the view, ascending, from 0. Removing `left` and these rows from the view, then inserting
   * each at its place, gives the rows in the order of the query (QL17).
   */
  readonly places: readonly number[];
  /** Left: they no longer match, are no longer visible, were deleted, or are beyond the limit. */
  readonly left: readonly QueriedObject[];
  readonly total: number;
  readonly facets: readonly FleetFacet[];
  /** Resumes the view after this update. */
  readonly position: string;
}

/** A live view of a query. */
export interface LiveQuery extends Pick<FleetQuery, "text" | "limit" | "sort" | "facets"> {
  /** The position of an earlier update; "" to begin with a snapshot. */
  readonly position: string;
}

/** A user as a cluster would authenticate it. */
export interface AskedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

/** What a change of RBAC objects would do. */
export interface AccessPreview {
  readonly changes: readonly PreviewedChange[];
  readonly leftOutCount: number;
}

/** The rows of one kind that a user, group or service account would see. */
export interface PreviewedChange {
  readonly holder: AccessHolder;
  readonly resource: string;
  readonly kind: string;
  readonly visibleBefore: number;
  readonly visibleAfter: number;
  /** Some of the objects that appear or disappear. */
  readonly samples: readonly QueriedObject[];
}

/** Problems of the fleet, or the objects of one of them. */
export interface ProblemQuery {
  /** Narrows the objects that are looked at. */
  readonly text: string;
  readonly limit: number;
  readonly includeDegraded: boolean;
  /** "" for the list of problems. */
  readonly problemId: string;
  readonly cursor: string;
}

export interface ProblemsAnswer extends CoveredClusters {
  readonly problems: readonly Problem[];
  readonly leftOutCount: number;
  /** With `problemId`. */
  readonly rows: readonly FoundFleetRow[];
  readonly next: string;
}

/** A comparison of objects over clusters. */
export interface CompareQuery {
  readonly text: string;
  /** Globs; empty for all clusters that the query selects. */
  readonly clusters: readonly string[];
  /** "" to compare with each other. */
  readonly goldenCluster: string;
  readonly differingOnly: boolean;
  readonly limit: number;
  readonly cursor: string;
}

export interface CompareAnswer extends CoveredClusters {
  readonly objects: readonly ComparedObject[];
  readonly next: string;
}

/** What changed between two moments among the objects that a query selects (QL31). */
export interface ChangesQuery {
  /** Without `at:`. */
  readonly text: string;
  /** A moment as a query has it. */
  readonly from: string;
  /** "" for now. */
  readonly to: string;
  readonly limit: number;
  readonly cursor: string;
}

export interface ChangesAnswer extends CoveredClusters {
  /** In the order of cluster, resource, namespace and name. */
  readonly changes: readonly PastChange[];
  /** Exact, of all pages. */
  readonly counts: Readonly<Record<SelectionChange, number>>;
  /** "" after the last page. */
  readonly next: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly canonicalText: string;
}

/** Past rows to load: those of a query with `at:`, or of the changes between two moments. */
export interface PastRowsQuery {
  readonly text: string;
  /** "" if the text has `at:`. */
  readonly from: string;
  /** "" for now. */
  readonly to: string;
}

/** The progress of loading past rows. */
export interface PastRowsProgress {
  readonly readCount: number;
  readonly clusterCount: number;
  /** One for a query with `at:`, two for changes. */
  readonly moments: readonly number[];
}

/** The past moment of an answer. */
export interface CoveredMoment {
  readonly atMs: number;
  /**
   * By cluster, when the hub received the newest change before the moment; undefined if the subject sees no kind
   * completely. Clusters without rows at the moment are left out.
   */
  readonly receivedAtMs: ReadonlyMap<string, number | undefined>;
}

/** The clusters and kinds that an answer is about. */
export interface CoveredClusters {
  /** Clusters that the query selects by cluster, region or environment; the coverage of the answer is about them. */
  readonly clusters: readonly string[];
  /** The kinds that the query selects; undefined for all. */
  readonly resources: ReadonlySet<string> | undefined;
  /** Left out for an answer about the present. */
  readonly moment?: CoveredMoment | undefined;
}

/** Suggestions for a query text. */
export interface QueryCompletions {
  readonly from: number;
  readonly to: number;
  readonly completions: readonly { readonly text: string; readonly kind: string; readonly detail: string }[];
}

/**
 * Queries as one subject. A call rejects with PERMISSION_DENIED if the hub does not allow the subject to list rows (to
 * watch them, for `watch`), with INVALID_ARGUMENT for a mistake in a query, a field or a cursor, and with
 * DEADLINE_EXCEEDED or TOO_LARGE if the query exceeds its budget. A query about a past moment also rejects with GONE
 * and the earliest possible moment if retention has removed some of the rows, and ends when its signal aborts.
 */
export interface FleetQueries {
  readonly subject: Subject;
  list(query: FleetQuery, signal?: AbortSignal): Promise<FleetQueryAnswer>;
  listChanges(query: ChangesQuery, signal: AbortSignal): Promise<ChangesAnswer>;
  /** Loads past rows, so that queries about the same moments need not wait for them. */
  loadPast(query: PastRowsQuery, report: (progress: PastRowsProgress) => void, signal: AbortSignal): Promise<void>;
  /**
   * A snapshot, or what changed since the position, then updates, coalesced while the reader is busy. Ends with GONE if
   * the reader is too slow, and with OVERLOADED if too many views are open (QL21). `unchanged` comes about every 4 s
   * without an update: time to look at what the index does not know, such as the coverage.
   */
  watch(query: LiveQuery, signal: AbortSignal): AsyncIterable<LiveQueryUpdate | "unchanged">;
  listProblems(query: ProblemQuery, signal?: AbortSignal): Promise<ProblemsAnswer>;
  compare(query: CompareQuery, signal?: AbortSignal): Promise<CompareAnswer>;
  /** Undefined if the object is hidden or does not exist. */
  findRelations(object: QueriedObject, signal?: AbortSignal): Promise<RelationsAnswer | undefined>;
  complete(text: string, caret: number): Promise<QueryCompletions>;

  /**
   * By cluster, a mark of what the subject may list in it: equal at two moments, also of two runs of the hub, only if
   * the same grants apply. Clusters whose rows are not shown now are missing.
   */
  accessMarks(): Promise<ReadonlyMap<string, string>>;
  /** The rules of a user in these clusters; of the subject if no user is given. */
  listAccessRules(user: AskedUser | undefined, clusters: readonly string[]): Promise<readonly AccessRuleRow[]>;
  /** Why a user sees an object or not. */
  explainAccess(user: AskedUser | undefined, object: QueriedObject): Promise<ObjectExplanation>;
  listViewers(object: QueriedObject): Promise<ObjectViewers>;
  /** `objects` are JSON texts of RBAC objects. */
  previewAccess(cluster: string, objects: readonly string[]): Promise<AccessPreview>;
}
