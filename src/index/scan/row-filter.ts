// SPDX-License-Identifier: Apache-2.0
// A predicate over one table, as loops over columns. A filter keeps the rows of a selection that match, in order.
import { unreachable } from "../../base/assert.ts";
import { statusRank } from "../../model/status.ts";
import type { ColumnTest, OrderTest, Predicate, TextTest } from "../language/query-predicate.ts";
import type { KindTable } from "../table/kind-table.ts";
import { createTextTest, type MatchedTexts, matchTexts } from "./match-texts.ts";

/** What a query knows of a cluster besides its rows. */
export interface ClusterFields {
  readonly cluster: string;
  readonly region: string;
  readonly environment: string;
}

/** One table and what its filters need. */
export interface FilteredTable {
  readonly table: KindTable;
  /** The text of the resource id. */
  readonly resource: string;
  readonly fields: ClusterFields;
  /** The moment of the query, for ages. */
  readonly nowMs: number;
}

/** Keeps the matching rows among the first `count` of `rows`, in their order, and returns how many they are. */
export type KeepRows = (rows: Uint32Array, count: number) => number;

/** `all` and `none` need no look at a row. */
export type RowFilter = "all" | "none" | KeepRows;

/** The filter of a predicate for one table. */
export function createRowFilter(predicate: Predicate, of: FilteredTable): RowFilter {
  switch (predicate.kind) {
    case "all":
      return "all";
    case "and":
      return joinAll(predicate.parts.map((part) => createRowFilter(part, of)));
    case "or":
      return joinAny(predicate.parts.map((part) => createRowFilter(part, of)));
    case "not":
      return complement(createRowFilter(predicate.of, of));
    case "resources":
      return predicate.resources.includes(of.resource) ? "all" : "none";
    case "status":
      return keepStatus(of.table, statusRank(predicate.status));
    case "field":
      return keepField(predicate.field, predicate.test, of);
    case "label":
    case "annotation":
      return keepMap(of.table, predicate.kind, predicate.key, predicate.test);
    case "age":
      return keepTimes(of.table, invert(predicate.order), of.nowMs - predicate.ms);
    case "created":
      return keepTimes(of.table, predicate.order, predicate.atMs);
    case "owner":
      return keepOwner(of.table, predicate.ownerKind, predicate.test);
    case "column":
      return keepColumn(of.table, predicate.column, predicate.test);
    case "text":
      return keepText(of.table, predicate.test);
    case "image":
      return keepColumn(of.table, "images", { text: predicate.test });
    default:
      return unreachable(predicate, "predicate");
  }
}

/** Both: each filter looks only at what the ones before it kept. */
function joinAll(filters: readonly RowFilter[]): RowFilter {
  if (filters.includes("none")) return "none";
  const keeps = filters.filter((filter) => filter !== "all" && filter !== "none");
  const [first] = keeps;
  if (first === undefined) return "all";
  if (keeps.length === 1) return first;
  return (rows, count) => keeps.reduce((kept, keep) => (kept === 0 ? 0 : keep(rows, kept)), count);
}

/** Either: each filter looks only at what none before it kept; the kept ones are merged in order. */
function joinAny(filters: readonly RowFilter[]): RowFilter {
  if (filters.includes("all")) return "all";
  const keeps = filters.filter((filter) => filter !== "all" && filter !== "none");
  const [first] = keeps;
  if (first === undefined) return "none";
  if (keeps.length === 1) return first;
  return (rows, count) => {
    const left = rows.slice(0, count);
    let leftCount = count;
    let kept = 0;
    for (const keep of keeps) {
      const found = left.slice(0, leftCount);
      const foundCount = keep(found, leftCount);
      kept = mergeInto(rows, kept, found, foundCount);
      leftCount = subtract(left, leftCount, found, foundCount);
    }
    return kept;
  };
}

function complement(filter: RowFilter): RowFilter {
  if (filter === "all") return "none";
  if (filter === "none") return "all";
  return (rows, count) => {
    const found = rows.slice(0, count);
    return subtract(rows, count, found, filter(found, count));
  };
}

/** Merges two ascending sequences without common elements into the first. Returns the length. */
function mergeInto(rows: Uint32Array, count: number, others: Uint32Array, otherCount: number): number {
  let [at, otherAt, to] = [count - 1, otherCount - 1, count + otherCount - 1];
  for (; otherAt >= 0; to -= 1) {
    const isOther = at < 0 || (rows[at] ?? 0) < (others[otherAt] ?? 0);
    rows[to] = (isOther ? others[otherAt] : rows[at]) ?? 0;
    if (isOther) otherAt -= 1;
    else at -= 1;
  }
  return count + otherCount;
}

/** Removes from an ascending sequence those of another that it contains. Returns the length. */
function subtract(rows: Uint32Array, count: number, others: Uint32Array, otherCount: number): number {
  let [kept, otherAt] = [0, 0];
  for (let at = 0; at < count; at += 1) {
    const row = rows[at] ?? 0;
    if (otherAt < otherCount && others[otherAt] === row) otherAt += 1;
    else {
      rows[kept] = row;
      kept += 1;
    }
  }
  return kept;
}

/** Keeps rows whose value in a column has a 1 in `isWanted`. */
function keepListed(values: () => Uint8Array | Uint32Array, isWanted: Uint8Array): KeepRows {
  return (rows, count) => {
    const column = values();
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0;
      if (isWanted[column[row] ?? 0] !== 1) continue;
      rows[kept] = row;
      kept += 1;
    }
    return kept;
  };
}

function keepEqual(values: () => Uint8Array | Uint32Array, wanted: number): KeepRows {
  return (rows, count) => {
    const column = values();
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0;
      if (column[row] !== wanted) continue;
      rows[kept] = row;
      kept += 1;
    }
    return kept;
  };
}

function keepMatched(values: () => Uint32Array, matched: MatchedTexts): RowFilter {
  if (matched.kind === "none") return "none";
  return matched.kind === "one" ? keepEqual(values, matched.id) : keepListed(values, matched.isMatched);
}

function keepStatus(table: KindTable, rank: number): RowFilter {
  const count = table.statusCount(rank);
  if (count === 0) return "none";
  return count === table.count ? "all" : keepEqual(() => table.statuses.values, rank);
}

function keepField(
  field: Extract<Predicate, { kind: "field" }>["field"],
  test: TextTest,
  of: FilteredTable,
): RowFilter {
  const { table, fields } = of;
  const { texts } = table.cluster;
  switch (field) {
    case "cluster":
    case "region":
    case "environment":
      return createTextTest(test)(fields[field]) ? "all" : "none";
    case "namespace":
      return keepNamespaces(table, createTextTest(test));
    case "name":
      return keepMatched(() => table.names.values, matchTexts(texts, test));
    case "reason":
      return keepMatched(() => table.reasons.values, matchTexts(texts, test));
    case "message":
      return keepMatched(() => table.messages.values, matchTexts(texts, test));
    case "uid":
      return keepEach((row) => createTextTest(test)(table.uidOf(row)));
    default:
      return unreachable(field, "field");
  }
}

/** A cluster has few namespaces, so each is tested. */
function keepNamespaces({ cluster, namespaces }: KindTable, passes: (text: string) => boolean): RowFilter {
  const isWanted = Uint8Array.from(cluster.namespaces, (textId) => (passes(cluster.texts.get(textId)) ? 1 : 0));
  return isWanted.includes(1) ? keepListed(() => namespaces.values, isWanted) : "none";
}

/** For rare tests that need a JavaScript value of each row. */
function keepEach(passes: (row: number) => boolean): KeepRows {
  return (rows, count) => {
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0;
      if (!passes(row)) continue;
      rows[kept] = row;
      kept += 1;
    }
    return kept;
  };
}

/** By the sets that have the key with a value that passes. */
function keepMap(table: KindTable, kind: "label" | "annotation", key: string, test: TextTest): RowFilter {
  const { texts, maps, labels } = table.cluster;
  const keyId = texts.find(key);
  if (keyId === undefined) return "none";
  const passes = createTextTest(test);
  const isWanted = new Uint8Array(maps.count);
  for (const [valueId, sets] of labels.valuesOf(keyId))
    if (passes(texts.get(valueId))) for (const set of sets) isWanted[set] = 1;
  const column = kind === "label" ? table.labels : table.annotations;
  return isWanted.includes(1) ? keepListed(() => column.values, isWanted) : "none";
}

function keepOwner(table: KindTable, ownerKind: string, test: TextTest): RowFilter {
  const { texts, owners } = table.cluster;
  const kindId = ownerKind === "" ? undefined : texts.find(ownerKind);
  if (ownerKind !== "" && kindId === undefined) return "none";
  const matched = matchTexts(texts, test);
  if (matched.kind === "none") return "none";
  const isWanted = new Uint8Array(owners.count);
  for (let owner = 1; owner < owners.count; owner += 1) {
    const [, kind = 0, name = 0] = owners.get(owner);
    const isNamed = matched.kind === "one" ? name === matched.id : matched.isMatched[name] === 1;
    if (isNamed && (kindId === undefined || kind === kindId)) isWanted[owner] = 1;
  }
  return isWanted.includes(1) ? keepListed(() => table.owners.values, isWanted) : "none";
}

/** Objects without a creation time have 0 there and never match. */
function keepTimes({ createdAts }: KindTable, order: OrderTest, atMs: number): RowFilter {
  return keepNumbers(
    () => createdAts.values,
    order,
    atMs,
    (value) => value !== 0,
  );
}

function keepNumbers(
  values: () => Float64Array,
  order: OrderTest,
  wanted: number,
  isPresent: (value: number) => boolean = () => true,
): KeepRows {
  return (rows, count) => {
    const column = values();
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0;
      const value = column[row] ?? Number.NaN;
      if (!compares(value, order, wanted) || !isPresent(value)) continue;
      rows[kept] = row;
      kept += 1;
    }
    return kept;
  };
}

/** NaN, the mark for absent, compares with nothing. */
function compares(value: number, order: OrderTest, wanted: number): boolean {
  switch (order) {
    case "<":
      return value < wanted;
    case "<=":
      return value <= wanted;
    case ">":
      return value > wanted;
    case ">=":
      return value >= wanted;
    case "=":
      return value === wanted;
  }
}

/** An age below a bound is a creation after a moment. */
function invert(order: OrderTest): OrderTest {
  const inverted = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=" } as const;
  return inverted[order];
}

/** A column may have several types among the rows of a kind; each that has a test can match. */
function keepColumn(table: KindTable, name: string, { text, number, boolean }: ColumnTest): RowFilter {
  const { texts } = table.cluster;
  const filters: RowFilter[] = [];
  const strings = table.column(name, "string");
  if (text !== undefined && strings?.type === "string")
    filters.push(keepMatched(() => strings.column.values, matchTexts(texts, text)));
  const lists = table.column(name, "stringList");
  if (text !== undefined && lists?.type === "stringList") filters.push(keepLists(table, lists.column, text));
  for (const type of ["integer", "float"] as const) {
    const numbers = table.column(name, type);
    if (number !== undefined && (numbers?.type === "integer" || numbers?.type === "float"))
      filters.push(keepNumbers(() => numbers.column.values, number.order, number.value));
  }
  const booleans = table.column(name, "boolean");
  if (boolean !== undefined && booleans?.type === "boolean")
    filters.push(keepEqual(() => booleans.column.values, boolean ? 1 : 0));
  return joinAny(filters);
}

/** Any element of the list. */
function keepLists({ cluster }: KindTable, column: { readonly values: Uint32Array }, test: TextTest): RowFilter {
  const matched = matchTexts(cluster.texts, test);
  if (matched.kind === "none") return "none";
  const { lists } = cluster;
  const isWanted = new Uint8Array(lists.count);
  for (let list = 1; list < lists.count; list += 1)
    for (const id of lists.get(list))
      if (matched.kind === "one" ? id === matched.id : matched.isMatched[id] === 1) isWanted[list] = 1;
  return isWanted.includes(1) ? keepListed(() => column.values, isWanted) : "none";
}

function keepText(table: KindTable, test: TextTest): RowFilter {
  const matched = matchTexts(table.cluster.texts, test);
  return joinAny(
    [table.names, table.reasons, table.messages].map((column) => keepMatched(() => column.values, matched)),
  );
}
