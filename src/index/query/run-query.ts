// SPDX-License-Identifier: Apache-2.0
// Runs a query over the tables that a user may see: rows in key order, the exact total, counts by facet. Everything is
// computed over the visible rows in the same pass (L17).
import type { Row } from "../../model/rows/row.ts";
import { statuses } from "../../model/status.ts";
import { compareUtf8 } from "../../model/text.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import type { Predicate } from "../language/query-predicate.ts";
import { createRowFilter } from "../scan/row-filter.ts";
import { createVisibleFilter } from "../scan/visible-rows.ts";
import type { KindTable } from "../table/kind-table.ts";
import { readRow } from "../table/read-row.ts";
import type { FleetTables, IndexedCluster } from "./fleet-tables.ts";

/** The fields whose values can be counted. */
export const facetNames = ["cluster", "namespace", "kind", "status"] as const;

export type FacetName = (typeof facetNames)[number];

/** The place of a row in key order. */
export interface QueryKey {
  readonly cluster: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface QueryRequest {
  readonly filter: Predicate;
  /** What the user may see of a resource in a cluster. */
  readonly visibilityOf: (cluster: string, resource: string) => Visibility;
  /** The most rows of the page. */
  readonly limit: number;
  /** The page begins after this key. The row itself need not exist any more. */
  readonly after?: QueryKey | undefined;
  readonly facets: readonly FacetName[];
  /** The moment of the query, for ages. */
  readonly nowMs: number;
}

export interface FoundRow {
  readonly cluster: string;
  readonly resource: string;
  readonly row: Row;
}

/** The most values of a facet in an answer: the most frequent ones. */
export const maxFacetValues = 100;

export interface FacetValue {
  readonly value: string;
  readonly count: number;
}

export interface QueryAnswer {
  readonly rows: readonly FoundRow[];
  /** Of all pages. */
  readonly total: number;
  /** The most frequent first, equal ones in bytewise order. */
  readonly facets: ReadonlyMap<FacetName, readonly FacetValue[]>;
  /** The key after which the next page begins; undefined if there is none. */
  readonly next: QueryKey | undefined;
}

/** Yields after each cluster, so that a caller can run other work between them. A cluster is read at one moment. */
export function* runQuery(fleet: FleetTables, request: QueryRequest): Generator<void, QueryAnswer, undefined> {
  const query = new RunningQuery(fleet, request);
  for (const id of fleet.clusterIds()) {
    const cluster = fleet.get(id);
    if (cluster !== undefined) query.addCluster(cluster);
    yield;
  }
  return query.answer();
}

class RunningQuery {
  readonly #fleet: FleetTables;
  readonly #request: QueryRequest;
  readonly #rows: FoundRow[] = [];
  readonly #clusterCounts = new Map<string, number>();
  readonly #kindCounts = new Map<string, number>();
  readonly #statusCounts = new Uint32Array(statuses.length);
  #namespaceCounts = new Uint32Array(0);
  #selected = new Uint32Array(0);
  #total = 0;
  #hasMore = false;

  constructor(fleet: FleetTables, request: QueryRequest) {
    this.#fleet = fleet;
    this.#request = request;
  }

  addCluster(cluster: IndexedCluster): void {
    const resources = [...cluster.tables.keys()].sort(compareUtf8);
    for (const resource of resources) {
      const table = cluster.tables.get(resource);
      if (table !== undefined && table.count > 0) this.#addTable(cluster, resource, table);
    }
  }

  answer(): QueryAnswer {
    const last = this.#rows.at(-1);
    return {
      rows: this.#rows,
      total: this.#total,
      facets: new Map(this.#request.facets.map((name) => [name, this.#facet(name)] as const)),
      next:
        this.#hasMore && last !== undefined
          ? { cluster: last.cluster, resource: last.resource, namespace: last.row.namespace, name: last.row.name }
          : undefined,
    };
  }

  #addTable({ fields }: IndexedCluster, resource: string, table: KindTable): void {
    const { filter, visibilityOf, nowMs } = this.#request;
    const visible = createVisibleFilter(table, visibilityOf(fields.cluster, resource));
    const matching = visible === "none" ? "none" : createRowFilter(filter, { table, resource, fields, nowMs });
    if (visible === "none" || matching === "none") return;
    const rows = this.#everyRow(table.count);
    let count = table.count;
    if (visible !== "all") count = visible(rows, count);
    if (matching !== "all") count = matching(rows, count);
    if (count === 0) return;
    this.#total += count;
    this.#count(fields.cluster, resource, table, rows.subarray(0, count));
    this.#takePage(fields.cluster, resource, table, rows.subarray(0, count));
  }

  #everyRow(count: number): Uint32Array {
    if (this.#selected.length < count) this.#selected = new Uint32Array(count * 2);
    for (let row = 0; row < count; row += 1) this.#selected[row] = row;
    return this.#selected;
  }

  #count(cluster: string, resource: string, table: KindTable, rows: Uint32Array): void {
    const { facets } = this.#request;
    this.#clusterCounts.set(cluster, (this.#clusterCounts.get(cluster) ?? 0) + rows.length);
    this.#kindCounts.set(resource, (this.#kindCounts.get(resource) ?? 0) + rows.length);
    if (facets.includes("status")) {
      const ranks = table.statuses.values;
      for (const row of rows) this.#statusCounts[ranks[row] ?? 0] = (this.#statusCounts[ranks[row] ?? 0] ?? 0) + 1;
    }
    if (facets.includes("namespace")) this.#countNamespaces(table, rows);
  }

  #countNamespaces(table: KindTable, rows: Uint32Array): void {
    const { fleetNamespaces } = table.cluster;
    if (this.#namespaceCounts.length < this.#fleet.namespaces.count) {
      const larger = new Uint32Array(this.#fleet.namespaces.count);
      larger.set(this.#namespaceCounts);
      this.#namespaceCounts = larger;
    }
    const [counts, namespaces] = [this.#namespaceCounts, table.namespaces.values];
    for (const row of rows) {
      const id = fleetNamespaces[namespaces[row] ?? 0] ?? 0;
      counts[id] = (counts[id] ?? 0) + 1;
    }
  }

  /** Adds rows in key order while the page has room. */
  #takePage(cluster: string, resource: string, table: KindTable, rows: Uint32Array): void {
    const { limit, after } = this.#request;
    if (this.#hasMore) return;
    const place =
      after === undefined ? 1 : compareUtf8(cluster, after.cluster) || compareUtf8(resource, after.resource);
    if (place < 0) return;
    const isSelected = new Uint8Array(table.count);
    for (const row of rows) isSelected[row] = 1;
    for (const row of table.order()) {
      if (isSelected[row] !== 1) continue;
      const found = readRow(table, row);
      if (place === 0 && after !== undefined && !isAfter(found, after)) continue;
      if (this.#rows.length >= limit) {
        this.#hasMore = true;
        return;
      }
      this.#rows.push({ cluster, resource, row: found });
    }
  }

  #facet(name: FacetName): readonly FacetValue[] {
    switch (name) {
      case "cluster":
        return topValues(this.#clusterCounts);
      case "kind":
        return topValues(this.#kindCounts);
      case "status":
        return topValues(statuses.map((status, rank) => [status, this.#statusCounts[rank] ?? 0] as const));
      case "namespace":
        return this.#topNamespaces();
    }
  }

  /** Builds a text only for namespaces that can be among the most frequent. */
  #topNamespaces(): readonly FacetValue[] {
    const counts = this.#namespaceCounts;
    const present = Array.from(counts.keys()).filter((id) => (counts[id] ?? 0) > 0);
    const least = present.map((id) => counts[id] ?? 0).sort((a, b) => b - a)[maxFacetValues - 1] ?? 0;
    const wanted = present.filter((id) => (counts[id] ?? 0) >= least);
    return topValues(wanted.map((id) => [this.#fleet.namespaces.get(id), counts[id] ?? 0] as const));
  }
}

function isAfter({ namespace, name }: Row, after: QueryKey): boolean {
  return (compareUtf8(namespace, after.namespace) || compareUtf8(name, after.name)) > 0;
}

function topValues(counts: Iterable<readonly [value: string, count: number]>): readonly FacetValue[] {
  return Array.from(counts, ([value, count]) => ({ value, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || compareUtf8(a.value, b.value))
    .slice(0, maxFacetValues);
}
