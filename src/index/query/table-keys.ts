// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { TableView } from "./field-source.ts";
import type { QueryKey } from "./query-request.ts";

/** Compares two rows of one table by namespace and name, bytewise. */
export function createKeyComparer({ cluster, namespaces, names }: KindTable): (a: number, b: number) => number {
  const { texts } = cluster;
  const [spaceOf, nameOf, spaces] = [namespaces.values, names.values, cluster.namespaces];
  return (a, b) => {
    const [left, right] = [spaceOf[a] ?? 0, spaceOf[b] ?? 0];
    if (left === right) return texts.compare(nameOf[a] ?? 0, nameOf[b] ?? 0);
    return texts.compare(spaces[left] ?? 0, spaces[right] ?? 0);
  };
}

/** The key of a row. */
export function keyOfRow({ table, resource, fields }: TableView, row: number): QueryKey {
  const { texts } = table.cluster;
  return {
    cluster: fields.cluster,
    resource,
    namespace: texts.get(table.cluster.namespaceText(table.namespaces.values[row] ?? 0)),
    name: texts.get(table.names.values[row] ?? 0),
  };
}

/** Orders a table against the table of a key: below 0 if all its rows come before the key, above 0 if after it. */
export function comparePlace({ fields, resource }: TableView, key: QueryKey): number {
  return compareUtf8(fields.cluster, key.cluster) || compareUtf8(resource, key.resource);
}

/** Compares a row with a key by namespace and name alone. */
export function compareWithin(view: TableView, row: number, key: QueryKey): number {
  const { namespace, name } = keyOfRow(view, row);
  return compareUtf8(namespace, key.namespace) || compareUtf8(name, key.name);
}

export function compareQueryKeys(a: QueryKey, b: QueryKey): number {
  return (
    compareUtf8(a.cluster, b.cluster) ||
    compareUtf8(a.resource, b.resource) ||
    compareUtf8(a.namespace, b.namespace) ||
    compareUtf8(a.name, b.name)
  );
}
