// SPDX-License-Identifier: Apache-2.0
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import type { QueryCatalog } from "../../index/language/query-catalog.ts";
import { hasVisibleRow } from "../../index/query/row-selector.ts";
import { defaultKinds, derivedKinds } from "../../kinds/all-kinds.ts";
import { type KindNames, resolveKindName } from "../../kinds/resolve-kind-name.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { ColumnType } from "../../model/rows/row.ts";
import { definitionResource, toDefinedNames } from "../rows/defined-names.ts";
import type { FleetAccess } from "./fleet-access.ts";
import type { Viewer } from "./row-viewer.ts";

/** Columns by name, with the types that they have. */
type ColumnTypes = Map<string, Set<ColumnType>>;

/** The kinds with a file of their own. They are known to every user, as in Kubernetes' discovery (Q-36). */
const builtIn: readonly KindNames[] = [...defaultKinds, ...derivedKinds].map(({ resource, kind }) => ({
  resource: resourceIdText(resource),
  kind,
  version: "",
}));

function builtInColumns(): ColumnTypes {
  const types: ColumnTypes = new Map();
  for (const { columns } of [...defaultKinds, ...derivedKinds])
    for (const { name, type } of columns) addType(types, name, type);
  return types;
}

function addType(types: ColumnTypes, name: string, type: ColumnType): void {
  types.set(name, (types.get(name) ?? new Set()).add(type));
}

/**
 * The kinds and columns that a viewer may name in a query: the built-in ones, and those of rows that the viewer may see
 * in some cluster. Others are unknown words (L17).
 */
export function createFleetCatalog(tables: FleetTables, access: FleetAccess, viewer: Viewer): QueryCatalog {
  const kinds = new Map(builtIn.map((names) => [names.resource, names]));
  const columns = builtInColumns();
  const visibleClusters: string[] = [];
  const visibilityOf = access.createReader(viewer);
  for (const cluster of tables.clusterIds()) {
    let isAnyVisible = false;
    for (const [resource, table] of tables.get(cluster)?.tables ?? []) {
      if (!hasVisibleRow(table, visibilityOf(cluster, resource))) continue;
      isAnyVisible = true;
      if (!kinds.has(resource)) kinds.set(resource, { resource, kind: table.kind, version: "" });
      for (const { name, type } of table.columns()) addType(columns, name, type);
    }
    if (isAnyVisible) visibleClusters.push(cluster);
  }
  const known = [...kinds.values()];
  return {
    kindNames: known.map(({ resource, kind }) => (kind === "" ? resource : kind)),
    columnNames: columns.keys(),
    columnTypes: (name) => columns.get(name) ?? new Set(),
    findKind: (name) => {
      const found = resolveKindName(known, name);
      return found.length > 0 ? found : resolveKindName(withDefinedNames(tables, visibleClusters, known), name);
    },
  };
}

/** Adds the names from CustomResourceDefinitions. Reads each definition, so only a name that is unknown costs it. */
function withDefinedNames(
  tables: FleetTables,
  clusters: readonly string[],
  kinds: readonly KindNames[],
): readonly KindNames[] {
  const named = new Map<string, readonly string[]>();
  for (const cluster of clusters)
    for (const [resource, names] of toDefinedNames(tables.snapshot(cluster, definitionResource)?.rows() ?? []))
      named.set(resource, names);
  return kinds.map((kind) => ({ ...kind, otherNames: named.get(kind.resource) ?? [] }));
}

/** For how long a catalog is used: a kind that appears is known this much later. */
const catalogMs = 1_000;

/** Most catalogs that are kept, one for each user that asked lately. */
const maxCatalogCount = 256;

interface HeldCatalog {
  readonly catalog: QueryCatalog;
  readonly accessVersion: number;
  readonly builtAtMs: number;
}

/** The catalogs of viewers. One is built anew when its user's rights may have changed, and after `catalogMs`. */
export class FleetCatalogs {
  readonly #tables: FleetTables;
  readonly #access: FleetAccess;
  readonly #held = new Map<string, HeldCatalog>();

  constructor(tables: FleetTables, access: FleetAccess) {
    this.#tables = tables;
    this.#access = access;
  }

  of(viewer: Viewer, nowMs: number): QueryCatalog {
    const key = viewer.kind === "hub" ? "" : JSON.stringify([viewer.subject.user, viewer.subject.groups]);
    const held = this.#held.get(key);
    const { version } = this.#access;
    if (held?.accessVersion === version && nowMs - held.builtAtMs < catalogMs) return held.catalog;
    const catalog = createFleetCatalog(this.#tables, this.#access, viewer);
    this.#held.delete(key);
    this.#held.set(key, { catalog, accessVersion: version, builtAtMs: nowMs });
    const [oldest] = this.#held.keys();
    if (this.#held.size > maxCatalogCount && oldest !== undefined) this.#held.delete(oldest);
    return catalog;
  }
}
