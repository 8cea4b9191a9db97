// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";

/** The tables of a cluster in the bytewise order of their resources, with what is known of them as a whole. */
export interface OrderedTables {
  readonly resources: readonly string[];
  readonly tables: readonly KindTable[];
  readonly rowCount: number;
  /** Of the largest table. */
  readonly mostRows: number;
  /** The names of the tables' own columns. One array for all clusters whose tables have the same. */
  readonly columns: readonly ReadonlySet<string>[];
}

interface KnownTables {
  readonly ordered: OrderedTables;
  readonly texts: ClusterTexts;
  readonly rowsVersion: number;
}

/** By the map of a cluster's tables: queries read all clusters, and few of them change between two queries. */
const known = new WeakMap<ReadonlyMap<string, KindTable>, KnownTables>();

/** Found again only after rows of the cluster changed. `texts` are the dictionaries of its tables. */
export function orderTables(tables: ReadonlyMap<string, KindTable>, texts: ClusterTexts): OrderedTables {
  const before = known.get(tables);
  const { rowsVersion } = texts;
  if (before?.texts === texts && before.rowsVersion === rowsVersion && before.ordered.tables.length === tables.size)
    return before.ordered;
  const ordered = order(tables, before?.ordered.resources);
  known.set(tables, { ordered, texts, rowsVersion });
  return ordered;
}

/** `resources` are those of an earlier order: sorted again only after a table was added or removed. */
function order(tables: ReadonlyMap<string, KindTable>, resources: readonly string[] = []): OrderedTables {
  const isSame = resources.length === tables.size && resources.every((resource) => tables.has(resource));
  const sorted = isSame ? resources : shareOrder([...tables.keys()].sort(compareUtf8));
  const inOrder = sorted.flatMap((resource) => tables.get(resource) ?? []);
  let [rowCount, mostRows] = [0, 0];
  for (const { count } of inOrder) {
    rowCount += count;
    mostRows = Math.max(mostRows, count);
  }
  let columns: readonly ReadonlySet<string>[] | undefined;
  return {
    resources: sorted,
    tables: inOrder,
    rowCount,
    mostRows,
    // Few queries need them.
    get columns() {
      columns ??= shareColumns(inOrder);
      return columns;
    },
  };
}

/** Orders of other clusters, the newest first: most clusters have the same kinds, and equal orders are one array. */
let recentOrders: readonly (readonly string[])[] = [];
const maxRecentOrders = 8;

function shareOrder(sorted: readonly string[]): readonly string[] {
  const isEqual = (other: readonly string[]): boolean =>
    other.length === sorted.length && other.every((resource, at) => resource === sorted[at]);
  const shared = recentOrders.find(isEqual);
  if (shared !== undefined) return shared;
  recentOrders = [sorted, ...recentOrders].slice(0, maxRecentOrders);
  return sorted;
}

/** Columns of other clusters, the newest first. */
let recentColumns: readonly { readonly key: string; readonly columns: readonly ReadonlySet<string>[] }[] = [];

function shareColumns(tables: readonly KindTable[]): readonly ReadonlySet<string>[] {
  const names = tables.map((table) => table.columns().map(({ name }) => name));
  // Names of columns have no spaces and no line feeds (KI1).
  const key = names.map((each) => each.toSorted().join(" ")).join("\n");
  const shared = recentColumns.find((other) => other.key === key);
  if (shared !== undefined) return shared.columns;
  const columns = names.map((each) => new Set(each));
  recentColumns = [{ key, columns }, ...recentColumns].slice(0, maxRecentOrders);
  return columns;
}
