// SPDX-License-Identifier: Apache-2.0
import { type ColumnValue, type Owner, type Row, toResourceVersion } from "../../model/rows/row.ts";
import { uuidText } from "../../model/rows/uuid.ts";
import { statuses } from "../../model/status.ts";
import type { ClusterTexts } from "./cluster-texts.ts";
import type { ColumnOfKind } from "./kind-columns.ts";
import type { KindTable } from "./kind-table.ts";

/** A row of a table as a value. */
export function readRow(table: KindTable, row: number): Row {
  const { cluster } = table;
  const { texts } = cluster;
  const deletedAt = table.deletedAtOf(row);
  const owner = readOwner(cluster, table.owners.values[row] ?? 0);
  return {
    namespace: texts.get(cluster.namespaceText(table.namespaces.values[row] ?? 0)),
    name: texts.get(table.names.values[row] ?? 0),
    uid: table.uidOf(row),
    resourceVersion: toResourceVersion(table.resourceVersionOf(row)),
    generation: table.generationOf(row),
    createdAt: table.createdAtMs(row),
    ...(deletedAt === undefined ? {} : { deletedAt }),
    status: statuses[table.statuses.values[row] ?? 0] ?? "unknown",
    reason: texts.get(table.reasons.values[row] ?? 0),
    message: texts.get(table.messages.values[row] ?? 0),
    labels: readMap(cluster, table.labels.values[row] ?? 0),
    annotations: readMap(cluster, table.annotations.values[row] ?? 0),
    ...(owner === undefined ? {} : { owner }),
    columns: readColumns(table, row),
    rowHash: table.rowHash(row),
  };
}

/** A label or annotation set as a value. */
export function readMap({ maps, texts }: ClusterTexts, number: number): ReadonlyMap<string, string> {
  const pairs = maps.get(number);
  const map = new Map<string, string>();
  for (let at = 0; at < pairs.length; at += 2) map.set(texts.get(pairs[at] ?? 0), texts.get(pairs[at + 1] ?? 0));
  return map;
}

/** An owner as a value; undefined for number 0. */
export function readOwner({ owners, texts }: ClusterTexts, number: number): Owner | undefined {
  if (number === 0) return undefined;
  const [group = 0, kind = 0, name = 0, ...uid] = owners.get(number);
  const isUuid = uid.length > 1;
  return {
    group: texts.get(group),
    kind: texts.get(kind),
    name: texts.get(name),
    uid: isUuid ? uuidText(bytesOfWords(uid), 0) : texts.get(uid[0] ?? 0),
  };
}

function bytesOfWords(words: readonly number[]): Uint8Array {
  return Uint8Array.from(words.flatMap((word) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255]));
}

function readColumns(table: KindTable, row: number): ReadonlyMap<string, ColumnValue> {
  const columns = new Map<string, ColumnValue>();
  for (const column of table.columns()) {
    const value = readValue(table.cluster, column, row);
    if (value !== undefined) columns.set(column.name, value);
  }
  return columns;
}

/** The value of a row in a kind's own column; undefined if it has none. */
export function readValue({ texts, lists }: ClusterTexts, column: ColumnOfKind, row: number): ColumnValue | undefined {
  const value = column.read(row);
  switch (column.type) {
    case "string":
      return value < 0 ? undefined : texts.get(value);
    case "stringList":
      return value < 0 ? undefined : Array.from(lists.get(value), (id) => texts.get(id));
    case "boolean":
      return value < 0 ? undefined : value === 1;
    default:
      return Number.isNaN(value) ? undefined : value;
  }
}
