// SPDX-License-Identifier: Apache-2.0
import type { ClusterFields } from "../scan/row-filter.ts";
import { ClusterTexts } from "../table/cluster-texts.ts";
import { KindTable } from "../table/kind-table.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import type { ClusterSize } from "./cluster-size.ts";
import type { FoldPlace, TableFacts } from "./fold-part.ts";

/** The place of one kind's rows in the fleet log. */
interface KindPlace {
  receivedAtMs: number;
  position: number;
}

/** The tables of one cluster and the position of their rows. Folding may replace a table by a fork. */
export class HeldCluster {
  fields: ClusterFields;
  texts: ClusterTexts;
  /** By the text of the resource id. */
  tables: Map<string, KindTable> = new Map();
  readonly #places = new Map<string, KindPlace>();
  isRbacComplete = false;

  /** `fleetNames` holds the namespaces of all clusters. */
  constructor(fields: ClusterFields, fleetNames: TextDictionary) {
    this.fields = fields;
    this.texts = new ClusterTexts(fleetNames);
  }

  /** The table. Creates it if it does not exist. */
  open(resource: string): KindTable {
    const table = this.tables.get(resource) ?? new KindTable(this.texts);
    this.tables.set(resource, table);
    return table;
  }

  /** Advances the position and receive time of a kind's rows. */
  moveTo(resource: string, { position, receivedAtMs }: FoldPlace): void {
    const place = this.#places.get(resource) ?? { receivedAtMs: 0, position: 0 };
    place.receivedAtMs = Math.max(place.receivedAtMs, receivedAtMs);
    place.position = Math.max(place.position, position);
    this.#places.set(resource, place);
    this.tables.get(resource)?.settle(receivedAtMs);
  }

  /** All zero for an unknown kind. */
  facts(resource: string): TableFacts {
    const { receivedAtMs, position } = this.#places.get(resource) ?? { receivedAtMs: 0, position: 0 };
    const table = this.tables.get(resource);
    return { resource, kind: table?.kind ?? "", rowCount: table?.count ?? 0, receivedAtMs, position };
  }

  get rowCount(): number {
    let count = 0;
    for (const table of this.tables.values()) count += table.count;
    return count;
  }

  size(): ClusterSize {
    let bytes = this.texts.sizeBytes;
    for (const table of this.tables.values()) bytes += table.sizeBytes;
    return { rowCount: this.rowCount, kindCount: this.tables.size, bytes };
  }
}
