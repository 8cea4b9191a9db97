// SPDX-License-Identifier: Apache-2.0
import type { QueriedCluster, QueriedFleet, QueryKey } from "../../index/query/query-request.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import { readRow } from "../../index/table/read-row.ts";
import type { TextDictionary } from "../../index/table/text-dictionary.ts";
import type { Row } from "../../model/rows/row.ts";
import { compareUtf8 } from "../../model/text.ts";

/** The tables of one cluster by resource. All of them share their dictionaries. */
export type PastKinds = ReadonlyMap<string, KindTable>;

/**
 * The rows of a past moment, for queries and all other readers of the present rows. It has no subject: its readers
 * decide what they show, by the rights of today (L17). It does not change.
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
      if (first !== undefined) this.#clusters.set(cluster, { fields: fieldsOf(cluster), texts: first.cluster, tables });
    }
    this.#ids = [...this.#clusters.keys()].sort(compareUtf8);
  }

  clusterIds(): readonly string[] {
    return this.#ids;
  }

  get(cluster: string): QueriedCluster | undefined {
    return this.#clusters.get(cluster);
  }

  /** The row of an object; undefined if it did not exist. */
  getRow({ cluster, resource, namespace, name }: QueryKey): Row | undefined {
    const table = this.#table(cluster, resource);
    const row = table?.findRow(namespace, name) ?? -1;
    return table === undefined || row === -1 ? undefined : readRow(table, row);
  }

  /** The name of a kind; "" if it had no rows. */
  kindOf(cluster: string, resource: string): string {
    return this.#table(cluster, resource)?.kind ?? "";
  }

  /** As `FleetTables.troubledSinceMs`, at the moment. */
  troubledSinceMs(
    cluster: string,
    resource: string,
    { namespace, name }: Pick<QueryKey, "namespace" | "name">,
  ): number | undefined {
    const table = this.#table(cluster, resource);
    return table?.troubledSinceMs(table.findRow(namespace, name));
  }

  #table(cluster: string, resource: string): KindTable | undefined {
    return this.#clusters.get(cluster)?.tables.get(resource);
  }
}
