// SPDX-License-Identifier: Apache-2.0
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";

interface KeptValue<Value> {
  readonly value: Value;
  readonly tables: readonly KindTable[];
  readonly versions: readonly number[];
}

/** One value per cluster that was computed from all its tables. It goes with the cluster's texts. */
export class KeptOfTables<Value> {
  readonly #kept = new WeakMap<ClusterTexts, KeptValue<Value>>();

  /** The value, computed again after rows changed or a table came or went. */
  get(cluster: ClusterTexts, tables: readonly KindTable[], compute: () => Value): Value {
    const known = this.#kept.get(cluster);
    if (known !== undefined && isCurrent(known, tables)) return known.value;
    const value = compute();
    this.#kept.set(cluster, { value, tables, versions: tables.map(({ version }) => version) });
    return value;
  }
}

function isCurrent({ tables: known, versions }: KeptValue<unknown>, tables: readonly KindTable[]): boolean {
  if (tables.length !== known.length) return false;
  for (let at = 0; at < tables.length; at += 1) {
    const table = tables[at];
    if (table !== known[at] || table?.version !== versions[at]) return false;
  }
  return true;
}
