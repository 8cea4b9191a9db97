// SPDX-License-Identifier: Apache-2.0
import type { QueriedCluster, QueriedFleet, QueryKey } from "../../index/query/query-request.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import type { TextDictionary } from "../../index/table/text-dictionary.ts";
import { type Deletions, deletedKey } from "./deleted-rows.ts";
import { PastFleet, type PastKinds } from "./past-fleet.ts";

/** The deleted objects of one cluster. */
export interface DeletedKinds {
  readonly deletedTables: PastKinds;
  /** By resource. */
  readonly deletions: ReadonlyMap<string, Deletions>;
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
  removedAtMs({ cluster, resource, namespace, name }: QueryKey, uid: string): number | undefined {
    const deletion = this.#clusters.get(cluster)?.deletions.get(resource)?.get(deletedKey(namespace, name));
    return deletion?.uid === uid ? deletion.removedAtMs : undefined;
  }
}

/** Marks the second entry of a cluster. No id of a cluster has it. */
const mark = "\0";

/**
 * Existing and deleted objects together. A cluster has an entry for each, so its tables are not in key order: queries
 * need `isUnordered`.
 */
export class FleetWithDeleted implements QueriedFleet {
  readonly #present: QueriedFleet;
  readonly #deleted: QueriedFleet;

  constructor(present: QueriedFleet, deleted: QueriedFleet) {
    this.#present = present;
    this.#deleted = deleted;
  }

  get namespaces(): TextDictionary {
    return this.#present.namespaces;
  }

  clusterIds(): readonly string[] {
    return [...this.#present.clusterIds(), ...this.#deleted.clusterIds().map((id) => mark + id)];
  }

  get(id: string): QueriedCluster | undefined {
    return id.startsWith(mark) ? this.#deleted.get(id.slice(mark.length)) : this.#present.get(id);
  }
}
