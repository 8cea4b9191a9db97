// SPDX-License-Identifier: Apache-2.0
import { parseResourceId } from "../../model/gvr.ts";
import { maxColumnCount } from "../../model/row-batch/format.ts";
import type { ColumnSpec, Row } from "../../model/rows/row.ts";
import type { ColumnOfKind } from "../table/kind-columns.ts";
import type { KindTable } from "../table/kind-table.ts";
import { readRow } from "../table/read-row.ts";
import type { KindSnapshot, SnapshotGroup } from "./fold-part.ts";

/** The rows of a table at this moment. */
export function createSnapshot(resource: string, table: KindTable, position: number): KindSnapshot {
  const frozen = table.snapshot();
  const groups = groupRows(frozen);
  return {
    resource: parseResourceId(resource),
    rowCount: frozen.count,
    position,
    groups,
    *rows() {
      for (const group of groups) yield* group.rows();
    },
  };
}

/** Most tables are one group: their columns have one type each, and one batch can hold as many. */
function groupRows(table: KindTable): readonly SnapshotGroup[] {
  const columns = table.columns();
  if (table.count === 0) return [];
  if (isOneBatch(columns)) return [toGroup(table, columns, 0, table.count)];
  const groups: SnapshotGroup[] = [];
  const order = table.order();
  let [from, held] = [0, new Set<ColumnOfKind>()];
  for (let at = 0; at < order.length; at += 1) {
    const present = columns.filter(
      (column) => !(Number.isNaN(column.read(order[at] ?? 0)) || isAbsent(column, order[at] ?? 0)),
    );
    const joined = new Set([...held, ...present]);
    if (isOneBatch([...joined])) {
      held = joined;
      continue;
    }
    groups.push(toGroup(table, [...held], from, at));
    [from, held] = [at, new Set(present)];
  }
  groups.push(toGroup(table, [...held], from, order.length));
  return groups;
}

function isAbsent(column: ColumnOfKind, row: number): boolean {
  return "ids" in column && column.read(row) < 0;
}

function isOneBatch(columns: readonly ColumnOfKind[]): boolean {
  return columns.length <= maxColumnCount && new Set(columns.map(({ name }) => name)).size === columns.length;
}

/** The rows from one place of the order to another. */
function toGroup(table: KindTable, columns: readonly ColumnOfKind[], from: number, end: number): SnapshotGroup {
  const specs: readonly ColumnSpec[] = columns.map(({ name, type }) => ({ name, type }));
  return {
    kind: table.kind,
    columns: specs,
    *rows(): Generator<Row, void, undefined> {
      for (const row of table.order().subarray(from, end)) yield readRow(table, row);
    },
  };
}
