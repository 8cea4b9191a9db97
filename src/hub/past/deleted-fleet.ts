// SPDX-License-Identifier: Apache-2.0
import type { QueryKey } from "../../index/query/query-request.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import type { TextDictionary } from "../../index/table/text-dictionary.ts";
import { deletedKey } from "./deleted-rows.ts";
import { PastFleet, type PastKinds } from "./past-fleet.ts";

/** The deleted objects of one cluster. */
export interface DeletedKinds {
  readonly deletedTables: PastKinds;
  /** By resource, then by key. */
  readonly removedAt: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Objects that were deleted, each as it was before. A query selects from them as from existing objects. */
export class DeletedFleet extends PastFleet {
  readonly #clusters: ReadonlyMap<string, DeletedKinds>;

  constructor(
    namespaces: TextDictionary,
    clusters: ReadonlyMap<string, DeletedKinds>,
    fieldsOf: (cluster: string) => ClusterFields,
  ) {
    const tables = Array.from(clusters, ([cluster, { deletedTables }]) => [cluster, deletedTables] as const);
    super(namespaces, tables, fieldsOf);
    this.#clusters = clusters;
  }

  /** When the hub received that the object is deleted; undefined for an object that is not one of these. */
  removedAtMs({ cluster, resource, namespace, name }: QueryKey): number | undefined {
    return this.#clusters.get(cluster)?.removedAt.get(resource)?.get(deletedKey(namespace, name));
  }
}
