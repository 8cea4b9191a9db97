// SPDX-License-Identifier: Apache-2.0
// The plan of a query as data (QL15). It depends on the query and on rows that the user may see, on nothing else: how a
// part is found is read off the query, and counts are those of visible rows.
import { unreachable } from "../../base/assert.ts";
import { printPredicate } from "../language/print-predicate.ts";
import type { Predicate } from "../language/query-predicate.ts";

/**
 * How a part of a query is found:
 * - `tables`: decided for whole kinds and clusters, without rows.
 * - `postings`: by counts and lists that are kept per status, namespace and label set.
 * - `dictionarySearch`: each distinct text is tested once, then rows by the number of their text.
 * - `columnScan`: the numbers of all visible rows are compared.
 * - `rowByRow`: a text is built for each visible row.
 */
export type PlanAccess = "tables" | "postings" | "dictionarySearch" | "columnScan" | "rowByRow";

export interface PlanPart {
  /** The part as a query of its own. */
  readonly text: string;
  readonly access: PlanAccess;
}

export interface QueryPlan {
  readonly parts: readonly PlanPart[];
  /** Clusters and kinds in clusters of which the user sees rows, by whether resource and cluster alone rule them out. */
  readonly readClusterCount: number;
  readonly skippedClusterCount: number;
  readonly readKindCount: number;
  readonly skippedKindCount: number;
  /** The visible rows of the kinds that were read, also of those that an index made unnecessary to read. */
  readonly readRowCount: number;
  readonly matchedRowCount: number;
}

/** The parts of a predicate and how each is found. */
export function planParts(predicate: Predicate): readonly PlanPart[] {
  switch (predicate.kind) {
    case "all":
      return [];
    case "and":
    case "or":
      return predicate.parts.flatMap(planParts);
    case "not":
      return planParts(predicate.of);
    default:
      return [{ text: printPredicate(predicate), access: accessOf(predicate) }];
  }
}

function accessOf(predicate: Exclude<Predicate, { readonly kind: "all" | "and" | "or" | "not" }>): PlanAccess {
  switch (predicate.kind) {
    case "resources":
      return "tables";
    case "status":
    case "label":
    case "annotation":
      return "postings";
    case "age":
    case "created":
      return "columnScan";
    case "owner":
    case "image":
    case "text":
      return "dictionarySearch";
    case "column":
      return predicate.test.number !== undefined || predicate.test.boolean !== undefined
        ? "columnScan"
        : "dictionarySearch";
    case "field":
      return accessOfField(predicate.field);
    default:
      return unreachable(predicate, "predicate");
  }
}

function accessOfField(field: Extract<Predicate, { readonly kind: "field" }>["field"]): PlanAccess {
  switch (field) {
    case "cluster":
    case "region":
    case "environment":
      return "tables";
    case "namespace":
      return "postings";
    case "uid":
      return "rowByRow";
    default:
      return "dictionarySearch";
  }
}

/** Counts what a plan reports. */
export class PlanCounts {
  #readClusters = 0;
  #skippedClusters = 0;
  #readKinds = 0;
  #skippedKinds = 0;
  #hasRead = false;
  #hasSkipped = false;

  /** Adds a kind of the present cluster. A kind without a visible row is not counted. */
  addKind(visibleCount: number, isRead: boolean): void {
    if (visibleCount === 0) return;
    if (isRead) {
      this.#readKinds += 1;
      this.#hasRead = true;
    } else {
      this.#skippedKinds += 1;
      this.#hasSkipped = true;
    }
  }

  endCluster(): void {
    if (this.#hasRead) this.#readClusters += 1;
    else if (this.#hasSkipped) this.#skippedClusters += 1;
    this.#hasRead = false;
    this.#hasSkipped = false;
  }

  plan(predicate: Predicate, readRowCount: number, matchedRowCount: number): QueryPlan {
    return {
      parts: planParts(predicate),
      readClusterCount: this.#readClusters,
      skippedClusterCount: this.#skippedClusters,
      readKindCount: this.#readKinds,
      skippedKindCount: this.#skippedKinds,
      readRowCount,
      matchedRowCount,
    };
  }
}
