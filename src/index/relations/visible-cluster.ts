// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { IndexKey } from "./index-key.ts";
import { VisibleTable } from "./visible-table.ts";

/** The tables of one cluster, by the text of the resource id. */
export interface ReadableCluster {
  readonly texts: ClusterTexts;
  readonly tables: ReadonlyMap<string, KindTable>;
}

/** The tables of all clusters, as far as this folder reads them. */
export interface ReadableFleet {
  /** In bytewise order. */
  clusterIds(): readonly string[];
  get(cluster: string): ReadableCluster | undefined;
}

/** What the subject of a request may see of a resource in a cluster. */
export type VisibilityOf = (cluster: string, resource: string) => Visibility;

/** A visible row. Valid until the next fold into its cluster. */
export interface PlacedRow {
  readonly table: VisibleTable;
  readonly row: number;
}

/** One cluster as a subject sees it, until the next fold into it. */
export class VisibleCluster {
  readonly id: string;
  readonly #cluster: ReadableCluster;
  readonly #byResource = new Map<string, VisibleTable>();
  readonly #byKind = new Map<string, VisibleTable[]>();
  /** What was read: valid while these versions are. */
  readonly #versions = new Map<KindTable, number>();

  constructor(id: string, cluster: ReadableCluster, visibilityOf: VisibilityOf) {
    this.id = id;
    this.#cluster = cluster;
    for (const table of cluster.tables.values()) this.#versions.set(table, table.version);
    for (const resource of [...cluster.tables.keys()].sort(compareUtf8)) {
      const table = cluster.tables.get(resource);
      const visibility = visibilityOf(id, resource);
      if (table === undefined || table.count === 0 || visibility.kind === "none") continue;
      this.#add(new VisibleTable({ resource, number: this.#byResource.size, table, visibility }));
    }
  }

  /** Whether no row of the cluster changed since this object was made, so that row numbers are still valid. */
  isCurrent(fleet: ReadableFleet): boolean {
    const now = fleet.get(this.id);
    if (now?.texts !== this.#cluster.texts || now.tables.size !== this.#versions.size) return false;
    for (const table of now.tables.values()) if (this.#versions.get(table) !== table.version) return false;
    return true;
  }

  /** The tables of which the subject may see some rows, in the order of resources. */
  tables(): Iterable<VisibleTable> {
    return this.#byResource.values();
  }

  table(resource: string): VisibleTable | undefined {
    return this.#byResource.get(resource);
  }

  find(resource: string, namespace: string, name: string): PlacedRow | undefined {
    const table = this.#byResource.get(resource);
    const row = table?.find(namespace, name);
    return table === undefined || row === undefined ? undefined : { table, row };
  }

  /** The first visible object of this kind that is accepted, in the order of resources. */
  findOfKind(
    kind: string,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    accepts: (found: PlacedRow) => boolean = () => true,
  ): PlacedRow | undefined {
    for (const table of this.#byKind.get(kind) ?? []) {
      const row = table.find(namespace, name);
      if (row !== undefined && accepts({ table, row })) return { table, row };
    }
    return undefined;
  }

  keyOf({ table, row }: PlacedRow): IndexKey {
    return { cluster: this.id, resource: table.resource, namespace: table.namespaceOf(row), name: table.nameOf(row) };
  }

  /**
   * The visible owner of a row: the object that its reference names by kind, name and uid, in its own namespace or at
   * cluster scope. An owner that is hidden and one that does not exist give the same answer.
   */
  ownerOf(placed: PlacedRow): PlacedRow | undefined {
    const owner = placed.table.ownerOf(placed.row);
    if (owner === undefined || owner.uid === "") return undefined;
    const namespace = placed.table.namespaceOf(placed.row);
    const isOwner = ({ table, row }: PlacedRow): boolean =>
      table.group === owner.group && table.uidOf(row) === owner.uid;
    return (
      this.findOfKind(owner.kind, { namespace, name: owner.name }, isOwner) ??
      this.findOfKind(owner.kind, { namespace: "", name: owner.name }, isOwner)
    );
  }

  /** A 1 at the id of each owner that has one of these names: a first selection for a search of owned rows. */
  ownersNamed(names: Iterable<string>): Uint8Array {
    const { texts, owners } = this.#cluster.texts;
    const nameIds = new Set(Array.from(names, (name) => texts.find(name)));
    const isNamed = new Uint8Array(owners.count);
    // After the group and the kind comes the name.
    for (let id = 1; id < owners.count; id += 1) if (nameIds.has(owners.ids[owners.startOf(id) + 2])) isNamed[id] = 1;
    return isNamed;
  }

  #add(table: VisibleTable): void {
    this.#byResource.set(table.resource, table);
    const sameKind = this.#byKind.get(table.kind);
    if (sameKind === undefined) this.#byKind.set(table.kind, [table]);
    else sameKind.push(table);
  }
}

/** A number for each row of a cluster, for sets and maps of rows. */
export function placeId({ table, row }: PlacedRow): number {
  return table.number * 0x1_0000_0000 + row;
}

/** Orders rows of one cluster by resource, namespace and name, as `compareIndexKeys` orders their keys. */
export function comparePlaces(a: PlacedRow, b: PlacedRow): number {
  return a.table.number - b.table.number || a.table.compareRows(a.row, b.row);
}
