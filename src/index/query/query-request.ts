// SPDX-License-Identifier: Apache-2.0
// What a query asks for and what it answers.
import type { Row } from "../../model/rows/row.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import type { FieldRef, SortField } from "../language/field-ref.ts";
import type { Predicate } from "../language/query-predicate.ts";
import type { ClusterFields } from "../scan/row-filter.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import type { QueryPlan } from "./query-plan.ts";

/** The tables of one cluster, as queries read them. */
export interface QueriedCluster {
  readonly fields: ClusterFields;
  readonly texts: ClusterTexts;
  /** By the text of the resource id. */
  readonly tables: ReadonlyMap<string, KindTable>;
  /**
   * Rows are read one by one: some tables have other dictionaries than `texts`, or too few queries read the tables for
   * counts that are kept. Default: false.
   */
  readonly isReadByRows?: boolean;
}

/** The tables of all clusters. */
export interface QueriedFleet {
  /** The namespaces of all clusters. */
  readonly namespaces: TextDictionary;
  /** Ids of clusters in bytewise order. */
  clusterIds(): readonly string[];
  get(cluster: string): QueriedCluster | undefined;
}

/** The place of a row in key order. */
export interface QueryKey {
  readonly cluster: string;
  /** The text of the resource id. */
  readonly resource: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** A value that rows are sorted by; undefined if a row has none. Times are in milliseconds, booleans are 0 and 1. */
export type SortScalar = number | string | undefined;

/** The place of a row in the order of a query. */
export interface QueryPosition {
  /** One for each field of the order. */
  readonly values: readonly SortScalar[];
  readonly key: QueryKey;
}

/** Rows grouped by the values of fields (QL12). */
export interface GroupRequest {
  /** One to three. */
  readonly by: readonly FieldRef[];
  /** The field whose least and greatest number each group has. */
  readonly of?: FieldRef | undefined;
}

/** The bounds of one query (QL15). */
export interface QueryBudget {
  /** The most visible rows that may be read. */
  readonly maxRows: number;
  /** True after the deadline. Called once per slice. */
  isOver(): boolean;
}

/** A facet: a field whose values are counted. */
export interface FacetRequest {
  readonly ref: FieldRef;
  /** Only values that begin with it, in any case of letters, are listed. The others count as other values. */
  readonly prefix?: string | undefined;
}

export interface QueryRequest {
  readonly filter: Predicate;
  /**
   * What the user may see of a resource in a cluster. Called at the moment that the rows are read, so that rows and
   * grants are of one moment (L2).
   */
  readonly visibilityOf: (cluster: string, resource: string) => Visibility;
  /** The most rows of the page. 0: only totals. */
  readonly limit: number;
  /** Then by key. Empty: by key. */
  readonly sort?: readonly SortField[] | undefined;
  /** The page begins after this position. The row itself need not exist any more. */
  readonly after?: QueryPosition | undefined;
  /** The fleet gives its clusters and tables in any order, and one of them may come twice. Default: in key order. */
  readonly isUnordered?: boolean | undefined;
  readonly facets: readonly FacetRequest[];
  readonly group?: GroupRequest | undefined;
  /** The moment of the query, for ages. */
  readonly nowMs: number;
  readonly budget?: QueryBudget | undefined;
  /** Adds the plan to the answer. */
  readonly explain?: boolean | undefined;
}

export interface FoundRow {
  readonly cluster: string;
  readonly resource: string;
  readonly row: Row;
}

export interface FacetValue {
  readonly value: string;
  /** The number of rows that have it. */
  readonly count: number;
}

/** The rows of the query by the values of one field (QL11). A row with several values counts for each of them. */
export interface FacetAnswer {
  readonly ref: FieldRef;
  /** The most frequent first, equal counts in bytewise order. */
  readonly values: readonly FacetValue[];
  /** The sum of the counts of values that are not listed. */
  readonly otherCount: number;
  /** The number of rows without a value. */
  readonly noneCount: number;
}

export interface QueryGroup {
  /** One for each field of the group; undefined for rows without a value. */
  readonly values: readonly (string | undefined)[];
  readonly count: number;
  /** Undefined if no row of the group has a number in the measured field. Times are in milliseconds since 1970. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** The groups, the largest first, equal counts in bytewise order of their values, no value last. */
export interface GroupsAnswer {
  readonly groups: readonly QueryGroup[];
  /** The number of groups that are not listed. */
  readonly otherCount: number;
}

export interface QueryAnswer {
  readonly rows: readonly FoundRow[];
  /** Of all pages. */
  readonly total: number;
  /** In the order of the request. */
  readonly facets: readonly FacetAnswer[];
  readonly groups: GroupsAnswer | undefined;
  /** The position after which the next page begins; undefined if there is none. */
  readonly next: QueryPosition | undefined;
  readonly plan: QueryPlan | undefined;
  /** Slices of work, for the hub's own metrics. It depends on hidden rows and is never shown to users (QL15). */
  readonly sliceCount: number;
}

/** Most rows of one page. */
export const maxPageRows = 10_000;

/** The most values of a facet in an answer: the most frequent ones (QL11). */
export const maxFacetValues = 100;

/** The most groups in an answer: the largest ones (QL12). */
export const maxAnswerGroups = 1_000;

/** The most distinct values of a facet, and distinct groups, that a query may hold: some 10 MB (QL11, QL12). */
export const maxHeldGroups = 100_000;
