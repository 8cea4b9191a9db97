// SPDX-License-Identifier: Apache-2.0
// A predicate over the tables of one cluster, as loops over columns. Dictionaries are searched once for all tables.
import { unreachable } from "../../base/assert.ts";
import { statuses, statusRank } from "../../model/status.ts";
import type { OrderTest, Predicate, TextTest } from "../language/query-predicate.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import { compileColumn } from "./column-filter.ts";
import { compileField, matchLabels, matchOwners } from "./field-filter.ts";
import { fromTexts, type IdMatch, invertMatch, keepMatched, keepRare, toIdMatch, uniteMatches } from "./id-match.ts";
import { compileImage } from "./image-filter.ts";
import { joinAll, joinAny, type RowFilter, ScanScratch } from "./keep-rows.ts";
import { createTextTest, matchTexts } from "./match-texts.ts";
import { keepNumbers, type NumberTest } from "./number-range.ts";
import type { ScannedRows } from "./scanned-rows.ts";
import { type SearchedColumn, TextSearch } from "./text-search.ts";

export type { RowFilter } from "./keep-rows.ts";

/** What a query knows of a cluster besides its rows. */
export interface ClusterFields {
  readonly cluster: string;
  readonly region: string;
  readonly environment: string;
}

/** A cluster and what filters of its tables need. */
export interface FilteredCluster {
  readonly texts: ClusterTexts;
  readonly fields: ClusterFields;
  /** The moment of the query, for ages. */
  readonly nowMs: number;
  readonly scratch: ScanScratch;
}

/** The filter for a table of the cluster, given the text of its resource id. Takes well under a microsecond. */
export type TableFilter = (table: ScannedRows, resource: string) => RowFilter;

/**
 * The filter of a predicate for all tables of one cluster. `all` and `none` are so for every table. It is valid while
 * the `version` of the cluster's texts stays, and until its `scratch` is used for another one.
 */
export type ClusterFilter = "all" | "none" | TableFilter;

/** One table and what its filter needs. */
export interface FilteredTable {
  readonly table: KindTable;
  /** The text of the resource id. */
  readonly resource: string;
  readonly fields: ClusterFields;
  readonly nowMs: number;
}

/** The filter of a predicate for one table. A query over several tables of a cluster compiles it once. */
export function createRowFilter(predicate: Predicate, { table, resource, fields, nowMs }: FilteredTable): RowFilter {
  const of = { texts: table.cluster, fields, nowMs, scratch: new ScanScratch() };
  const compiled = compileFilter(predicate, of);
  return typeof compiled === "function" ? compiled(table, resource) : compiled;
}

/** Compiles a predicate for the tables of one cluster. Takes the arrays of `scratch`: the filter before is then invalid. */
export function compileFilter(predicate: Predicate, of: FilteredCluster): ClusterFilter {
  of.scratch.reset();
  return compile(predicate, of, false);
}

/** `isNegated`: the filter of the complement. Negation reaches the leaves, where it costs nothing. */
function compile(predicate: Predicate, of: FilteredCluster, isNegated: boolean): ClusterFilter {
  switch (predicate.kind) {
    case "all":
      return isNegated ? "none" : "all";
    case "not":
      return compile(predicate.of, of, !isNegated);
    case "and":
    case "or":
      return compileJoin(predicate, of, isNegated);
    case "resources": {
      const { resources } = predicate;
      return (_table, resource) => (resources.includes(resource) === isNegated ? "none" : "all");
    }
    case "age":
    case "created":
      return keepTimes([toTimeTest(predicate, of.nowMs)], isNegated);
    case "column":
      return compileColumn(predicate.column, predicate.test, of, isNegated);
    case "image":
      return compileImage(predicate.test, of, isNegated);
    case "text":
      return compileSearch(["names", "reasons", "messages"], predicate.test, of, isNegated);
    case "field": {
      const { field, test } = predicate;
      if (field === "uid" || field in of.fields) return compileField(predicate, of, isNegated);
      if (test.kind !== "equals" && (field === "name" || field === "reason" || field === "message"))
        return compileSearch([columnOfField[field]], test, of, isNegated);
      break;
    }
    case "status":
    case "label":
    case "annotation":
    case "owner":
      break;
    default:
      return unreachable(predicate, "predicate");
  }
  const leaf = toIdLeaf(predicate);
  return leaf === undefined ? "none" : compileIds([leaf], of, isNegated);
}

/** Rows of which some text passes. */
function compileSearch(
  columns: readonly SearchedColumn[],
  test: TextTest,
  of: FilteredCluster,
  isNegated: boolean,
): TableFilter {
  const search = new TextSearch(of, test);
  return (table) => search.filter(table, columns, isNegated);
}

/** Predicates that test one id of a row. */
type IdPredicate = Extract<Predicate, { kind: "field" | "status" | "label" | "annotation" | "owner" }>;

/** A column of ids by name, with the ids of a predicate. */
interface IdLeaf {
  readonly column: "statuses" | "namespaces" | "names" | "reasons" | "messages" | "labels" | "annotations" | "owners";
  readonly predicate: IdPredicate;
}

const columnOfField = { namespace: "namespaces", name: "names", reason: "reasons", message: "messages" } as const;

function toIdLeaf(predicate: Predicate): IdLeaf | undefined {
  switch (predicate.kind) {
    case "status":
      return { column: "statuses", predicate };
    case "label":
      return { column: "labels", predicate };
    case "annotation":
      return { column: "annotations", predicate };
    case "owner":
      return { column: "owners", predicate };
    case "field": {
      const { field } = predicate;
      const isIds = field === "namespace" || field === "name" || field === "reason" || field === "message";
      return isIds ? { column: columnOfField[field], predicate } : undefined;
    }
    default:
      return undefined;
  }
}

/** `or` over tests of one column, such as `ns:in(a,b)`, is one test of the ids of all. */
function compileJoin(
  predicate: Extract<Predicate, { kind: "and" | "or" }>,
  of: FilteredCluster,
  isNegated: boolean,
): ClusterFilter {
  const isAny = (predicate.kind === "or") !== isNegated;
  const byColumn = new Map<string, IdLeaf[]>();
  const compiled: ClusterFilter[] = [];
  // What looks at all rows comes last: ids are cheaper than numbers, and those than texts of each row.
  const parts = isAny ? predicate.parts : predicate.parts.toSorted((a, b) => costOf(a) - costOf(b));
  // Several bounds of times are one range.
  const times = predicate.kind === "and" ? parts.filter(isTime) : [];
  for (const part of parts) {
    const leaf = predicate.kind === "or" ? toIdLeaf(part) : undefined;
    if (leaf !== undefined) byColumn.set(leaf.column, [...(byColumn.get(leaf.column) ?? []), leaf]);
    else if (!isTime(part) || times.length === 0) compiled.push(compile(part, of, isNegated));
    else if (part === times[0]) {
      const tests = times.map((time) => toTimeTest(time, of.nowMs));
      compiled.push(keepTimes(tests, isNegated));
    }
  }
  for (const leaves of byColumn.values()) compiled.push(compileIds(leaves, of, isNegated));
  if (compiled.includes(isAny ? "all" : "none")) return isAny ? "all" : "none";
  const filters = compiled.filter((filter) => filter !== "all" && filter !== "none");
  const [first] = filters;
  if (first === undefined) return isAny ? "none" : "all";
  if (filters.length === 1) return first;
  return (table, resource) => {
    const joined: RowFilter[] = [];
    for (const filter of filters) {
      const part = filter(table, resource);
      if (part === (isAny ? "all" : "none")) return part;
      joined.push(part);
    }
    return isAny ? joinAny(joined, of.scratch) : joinAll(joined);
  };
}

function costOf(predicate: Predicate): number {
  switch (predicate.kind) {
    case "age":
    case "created":
      return 1;
    case "column":
      return predicate.test.number === undefined ? 0 : 1;
    case "and":
    case "or":
      return 2;
    case "not":
      return costOf(predicate.of);
    case "field":
      if (predicate.field === "uid") return 4;
      return predicate.test.kind === "equals" || predicate.field === "namespace" ? 0 : 3;
    case "text":
      return 3;
    default:
      return 0;
  }
}

/** Rows whose id is that of any leaf. All leaves have the same column. */
function compileIds(leaves: readonly IdLeaf[], of: FilteredCluster, isNegated: boolean): ClusterFilter {
  const [first] = leaves;
  if (first === undefined) return isNegated ? "all" : "none";
  const { column } = first;
  const count = idCountOf(column, of.texts);
  const matches = leaves.map(({ predicate }) => matchIds(predicate, of));
  const united = uniteMatches(matches, count, of.scratch);
  const match = isNegated ? invertMatch(united, count, of.scratch) : united;
  if (match.kind === "none" || match.kind === "all") return match.kind;
  if (column === "statuses") return (table) => keepStatus(table, match);
  if (column === "namespaces" && match.kind === "one") return (table) => keepNamespace(table, match.id);
  return (table) => keepMatched(table[column], match);
}

function idCountOf(column: IdLeaf["column"], { texts, maps, owners, namespaceCount }: ClusterTexts): number {
  switch (column) {
    case "statuses":
      return statuses.length;
    case "namespaces":
      return namespaceCount;
    case "labels":
    case "annotations":
      return maps.count;
    case "owners":
      return owners.count;
    default:
      return texts.count;
  }
}

function matchIds(predicate: IdPredicate, { texts, scratch }: FilteredCluster): IdMatch {
  switch (predicate.kind) {
    case "status":
      return { kind: "one", id: statusRank(predicate.status) };
    case "label":
    case "annotation":
      return matchLabels(texts, predicate, scratch);
    case "owner":
      return matchOwners(texts, predicate, scratch);
    case "field": {
      const { field, test } = predicate;
      if (field === "namespace") return matchNamespaces(texts, test);
      return fromTexts(matchTexts(texts.texts, test, { searched: texts.searched, scratch }));
    }
  }
}

/** A cluster has few namespaces, so a pattern is tested against each. */
function matchNamespaces(cluster: ClusterTexts, test: TextTest): IdMatch {
  if (test.kind === "equals") {
    const id = cluster.findNamespace(test.text);
    return id === undefined ? { kind: "none" } : { kind: "one", id };
  }
  const passes = createTextTest(test);
  const { texts, namespaces } = cluster;
  const isMatched = new Uint8Array(namespaces.length);
  for (let number = 0; number < namespaces.length; number += 1)
    isMatched[number] = passes(texts.get(namespaces[number] ?? 0)) ? 1 : 0;
  return toIdMatch(isMatched);
}

/** The number of rows by status is known: often no row or every row matches, and a rare status is found quickly. */
function keepStatus(table: ScannedRows, match: Extract<IdMatch, { kind: "one" | "some" }>): RowFilter {
  let found = 0;
  for (let rank = 0; rank < statuses.length; rank += 1)
    if (match.kind === "one" ? rank === match.id : match.isMatched[rank] === 1) found += table.statusCount(rank);
  if (found === 0) return "none";
  if (found === table.count) return "all";
  if (match.kind === "one" && found * 16 < table.count) return keepRare(table.statuses.values, match.id, found);
  return keepMatched({ values: table.statuses.values, presentCount: table.count }, match);
}

/** The rows of one namespace are adjacent in key order. */
function keepNamespace(table: ScannedRows, number: number): RowFilter {
  const rows = table.rowsIn?.(number);
  if (rows === undefined) return keepMatched(table.namespaces, { kind: "one", id: number });
  if (rows.length === 0) return "none";
  if (rows.length === table.count) return "all";
  const keepAny = keepMatched(table.namespaces, { kind: "one", id: number });
  return (kept, count, isEvery = false) => {
    if (!isEvery) return typeof keepAny === "function" ? keepAny(kept, count) : 0;
    kept.set(rows);
    kept.subarray(0, rows.length).sort();
    return rows.length;
  };
}

/** Tests of the creation time. */
type TimePredicate = Extract<Predicate, { kind: "age" | "created" }>;

function isTime(predicate: Predicate): predicate is TimePredicate {
  return predicate.kind === "age" || predicate.kind === "created";
}

function toTimeTest(predicate: TimePredicate, nowMs: number): NumberTest {
  if (predicate.kind === "created") return { order: predicate.order, value: predicate.atMs };
  return { order: invert(predicate.order), value: nowMs - predicate.ms };
}

/** Objects without a creation time pass no test. */
function keepTimes(tests: readonly NumberTest[], isNegated: boolean): TableFilter {
  return (table) => keepNumbers(table.creationTimes, tests, isNegated);
}

/** An age below a bound is a creation after a moment. */
function invert(order: OrderTest): OrderTest {
  const inverted = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=" } as const;
  return inverted[order];
}
