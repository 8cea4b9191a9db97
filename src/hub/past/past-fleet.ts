// SPDX-License-Identifier: Apache-2.0
import type { QueriedCluster, QueriedFleet } from "../../index/query/query-request.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import type { TextDictionary } from "../../index/table/text-dictionary.ts";
import { compareUtf8 } from "../../model/text.ts";

/** The tables of one cluster by resource. Those that were read from the log have other dictionaries than present ones. */
export type PastKinds = ReadonlyMap<string, KindTable>;

/**
 * The rows of a past moment, for queries and all other readers of the present rows. It has no subject: its readers
 * decide what they show, by the rights of now (L17). It does not change.
 */
export class PastFleet implements QueriedFleet {
  readonly namespaces: TextDictionary;
  readonly #clusters = new Map<string, QueriedCluster>();
  readonly #ids: readonly string[];

  constructor(
    namespaces: TextDictionary,
    clusters: Iterable<readonly [cluster: string, kinds: PastKinds]>,
    fieldsOf: (cluster: string) => ClusterFields,
  ) {
    this.namespaces = namespaces;
    for (const [cluster, tables] of clusters) {
      const [first] = tables.values();
      if (first === undefined) continue;
      this.#clusters.set(cluster, { fields: fieldsOf(cluster), texts: first.cluster, tables, isReadByRows: true });
    }
    this.#ids = [...this.#clusters.keys()].sort(compareUtf8);
  }

  clusterIds(): readonly string[] {
    return this.#ids;
  }

  get(cluster: string): QueriedCluster | undefined {
    return this.#clusters.get(cluster);
  }
}
