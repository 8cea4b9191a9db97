// SPDX-License-Identifier: Apache-2.0

import { statuses } from "../../model/status.ts";
import type { ClusterCounts } from "../cells/cell-tally.ts";
import type { ClusterFields } from "../scan/row-filter.ts";
import type { FacetCounter } from "./facet-counter.ts";
import { FieldFacet } from "./facet-counter.ts";
import type { TableView } from "./field-source.ts";
import { GroupCounter } from "./group-counter.ts";
import { NamespaceFacet } from "./namespace-facet.ts";
import type { FacetAnswer, GroupsAnswer, QueriedFleet, QueryRequest } from "./query-request.ts";
import type { RowSelection } from "./row-selection.ts";

/** The facets and groups of a query. */
export class QueryCounters {
  readonly #facets: readonly FacetCounter[];
  readonly #group: GroupCounter | undefined;
  readonly #namespaces: readonly NamespaceFacet[];

  constructor({ facets, group }: QueryRequest, fleet: QueriedFleet) {
    this.#facets = facets.map((facet) =>
      facet.ref.field === "namespace" ? new NamespaceFacet(facet, fleet.namespaces) : new FieldFacet(facet),
    );
    this.#namespaces = this.#facets.filter((facet) => facet instanceof NamespaceFacet);
    this.#group = group === undefined ? undefined : new GroupCounter(group);
  }

  /** False if there is a facet or group that needs more of each row than cells have. */
  get canUseCells(): boolean {
    return this.#group === undefined && this.#facets.every(({ ref }) => cellFields.has(ref.field));
  }

  get needsNamespaces(): boolean {
    return this.#namespaces.length > 0;
  }

  addRows(view: TableView, selection: RowSelection): void {
    for (const facet of this.#facets) facet.add(view, selection);
    this.#group?.add(view, selection);
  }

  /** Adds the counts of a cluster, by kind and status. `resources` are its tables, in the order of the tally. */
  addTally(fields: ClusterFields, resources: readonly string[], tally: ClusterCounts): void {
    if (tally.total === 0) return;
    for (const facet of this.#facets) if (facet instanceof FieldFacet) addConstants(facet, fields, resources, tally);
  }

  /** Adds the counts of all clusters that were counted by cells, by namespace. */
  addNamespaces(sums: Uint32Array): void {
    for (const facet of this.#namespaces) facet.addSums(sums);
  }

  /** Called when a cluster was read, and before rows may change. */
  release(): void {
    for (const facet of this.#facets) facet.release();
    this.#group?.release();
  }

  answer(): { readonly facets: readonly FacetAnswer[]; readonly groups: GroupsAnswer | undefined } {
    return { facets: this.#facets.map((facet) => facet.answer()), groups: this.#group?.answer() };
  }
}

/** The fields that cells count. */
const cellFields: ReadonlySet<string> = new Set(["cluster", "region", "environment", "kind", "status", "namespace"]);

function addConstants(
  facet: FieldFacet,
  fields: ClusterFields,
  resources: readonly string[],
  { total, tableCounts, statusCounts }: ClusterCounts,
): void {
  const { field } = facet.ref;
  if (field === "cluster" || field === "region" || field === "environment") facet.addConstant(fields[field], total);
  else if (field === "kind") addCounts(facet, tableCounts, (at) => resources[at]);
  else if (field === "status") addCounts(facet, statusCounts, (rank) => statuses[rank]);
}

function addCounts(facet: FieldFacet, counts: Uint32Array, textOf: (at: number) => string | undefined): void {
  for (let at = 0; at < counts.length; at += 1) {
    const count = counts[at] ?? 0;
    if (count > 0) facet.addConstant(textOf(at) ?? "", count);
  }
}
