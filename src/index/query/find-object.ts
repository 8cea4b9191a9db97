// SPDX-License-Identifier: Apache-2.0
// Single objects in the tables of a fleet.
import type { Row } from "../../model/rows/row.ts";
import type { KindTable } from "../table/kind-table.ts";
import { readRow } from "../table/read-row.ts";
import type { QueriedFleet, QueryKey } from "./query-request.ts";

/** The row of an object; undefined if it does not exist. */
export function findObject(fleet: Pick<QueriedFleet, "get">, key: QueryKey): Row | undefined {
  const table = tableOf(fleet, key);
  const row = table?.findRow(key.namespace, key.name) ?? -1;
  return table === undefined || row === -1 ? undefined : readRow(table, row);
}

/** The name of a kind; "" if it has no rows. */
export function kindOf(fleet: Pick<QueriedFleet, "get">, key: Pick<QueryKey, "cluster" | "resource">): string {
  return tableOf(fleet, key)?.kind ?? "";
}

/** As `FleetTables.troubledSinceMs`. */
export function troubledSinceMs(fleet: Pick<QueriedFleet, "get">, key: QueryKey): number | undefined {
  const table = tableOf(fleet, key);
  return table?.troubledSinceMs(table.findRow(key.namespace, key.name));
}

function tableOf(
  fleet: Pick<QueriedFleet, "get">,
  { cluster, resource }: Pick<QueryKey, "cluster" | "resource">,
): KindTable | undefined {
  return fleet.get(cluster)?.tables.get(resource);
}
