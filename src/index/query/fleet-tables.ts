// SPDX-License-Identifier: Apache-2.0
import type { RowBatchParts } from "../../model/row-batch/row-batch-parts.ts";
import { compareUtf8 } from "../../model/text.ts";
import type { ClusterFields } from "../scan/row-filter.ts";
import { ClusterTexts } from "../table/cluster-texts.ts";
import { KindTable, type TableSink } from "../table/kind-table.ts";
import { TextDictionary } from "../table/text-dictionary.ts";

/** The tables of one cluster. */
export interface IndexedCluster {
  readonly fields: ClusterFields;
  readonly texts: ClusterTexts;
  /** By the text of the resource id. */
  readonly tables: Map<string, KindTable>;
}

/** The rows of all clusters in columns. */
export class FleetTables {
  /** The namespaces of all clusters. */
  readonly namespaces = new TextDictionary();
  readonly #clusters = new Map<string, IndexedCluster>();
  /** Ids of clusters in order; undefined after one was added or removed. */
  #order: readonly string[] | undefined;

  /** Applies a batch; see `KindTable.fold`. */
  fold(fields: ClusterFields, resource: string, parts: RowBatchParts, sink: TableSink, bucket?: number): void {
    const cluster = this.#open(fields);
    const table = cluster.tables.get(resource) ?? new KindTable(cluster.texts);
    cluster.tables.set(resource, table);
    table.fold(parts, sink, bucket);
  }

  remove(cluster: string): void {
    this.#clusters.delete(cluster);
    this.#order = undefined;
  }

  get(cluster: string): IndexedCluster | undefined {
    return this.#clusters.get(cluster);
  }

  /** Ids of clusters in bytewise order. */
  clusterIds(): readonly string[] {
    this.#order ??= [...this.#clusters.keys()].sort(compareUtf8);
    return this.#order;
  }

  /** The newest fields of a cluster replace older ones; its rows stay. */
  #open(fields: ClusterFields): IndexedCluster {
    const known = this.#clusters.get(fields.cluster);
    if (known?.fields === fields) return known;
    const opened =
      known === undefined
        ? { fields, texts: new ClusterTexts(this.namespaces), tables: new Map() }
        : { ...known, fields };
    if (known === undefined) this.#order = undefined;
    this.#clusters.set(fields.cluster, opened);
    return opened;
  }
}
