// SPDX-License-Identifier: Apache-2.0
// The rows that a row names, and the rows that name it.
import type { LinkRule, LinkTarget } from "./link-rules.ts";
import { type PlacedRow, placeId, type VisibleCluster } from "./visible-cluster.ts";

/** A row that names, or is owned by, one of the wanted rows. */
export interface FoundHolder {
  readonly holder: PlacedRow;
  /** The value that `WantedRows` has for the row that it names. */
  readonly wanted: number;
}

/** The object that a reference names; undefined if it is hidden or does not exist. */
export function resolveTarget(cluster: VisibleCluster, target: LinkTarget): PlacedRow | undefined {
  return target.resource === undefined
    ? cluster.findOfKind(target.kind, target)
    : cluster.find(target.resource, target.namespace, target.name);
}

/** Rows to which references are searched, each with a number of the caller. */
export class WantedRows {
  readonly #cluster: VisibleCluster;
  readonly #rows: readonly (readonly [placed: PlacedRow, value: number])[];
  readonly #values: ReadonlyMap<number, number>;

  constructor(cluster: VisibleCluster, rows: readonly (readonly [placed: PlacedRow, value: number])[]) {
    this.#cluster = cluster;
    this.#rows = rows;
    this.#values = new Map(rows.map(([placed, value]) => [placeId(placed), value]));
  }

  /** The visible rows that any of these rows owns. Yields after each table. */
  *owned(): Generator<void, readonly FoundHolder[], undefined> {
    const found: FoundHolder[] = [];
    if (this.#rows.length === 0) return found;
    const isNamed = this.#cluster.ownersNamed(this.#rows.map(([{ table, row }]) => table.nameOf(row)));
    for (const table of this.#cluster.tables()) {
      for (let row = 0; row < table.rowCount; row += 1) {
        if (isNamed[table.ownerIdOf(row)] !== 1 || !table.isVisible(row)) continue;
        const owner = this.#cluster.ownerOf({ table, row });
        const wanted = owner === undefined ? undefined : this.#values.get(placeId(owner));
        if (wanted !== undefined) found.push({ holder: { table, row }, wanted });
      }
      yield;
    }
    return found;
  }

  /** The visible rows that name any of these rows by this rule. */
  holders(rule: LinkRule): readonly FoundHolder[] {
    const table = this.#cluster.table(rule.holder);
    const rows = this.#rows.filter(([placed]) => (rule.resource ?? placed.table.resource) === placed.table.resource);
    if (table === undefined || rows.length === 0) return [];
    const namespaces = new Set(rows.map(([each]) => table.numberOfNamespace(each.table.namespaceOf(each.row))));
    const names = new Set(rows.map(([each]) => each.table.nameOf(each.row)));
    const nameIds = new Set(Array.from(names, (name) => table.idOfText(name)));
    const found: FoundHolder[] = [];
    for (let row = 0; row < table.rowCount; row += 1) {
      if (rule.isLocal === true && !namespaces.has(table.namespaceNumberOf(row))) continue;
      if (rule.column !== undefined && !nameIds.has(table.textId(row, rule.column) ?? -1)) continue;
      if (!table.isVisible(row)) continue;
      const targets = rule.targetsOf({ table, row }, table.namespaceOf(row));
      const wanted = new Set(targets.flatMap((target) => (names.has(target.name) ? this.#valueOf(target) : [])));
      for (const value of wanted) found.push({ holder: { table, row }, wanted: value });
    }
    return found;
  }

  #valueOf(target: LinkTarget): readonly number[] {
    const placed = resolveTarget(this.#cluster, target);
    const value = placed === undefined ? undefined : this.#values.get(placeId(placed));
    return value === undefined ? [] : [value];
  }
}
