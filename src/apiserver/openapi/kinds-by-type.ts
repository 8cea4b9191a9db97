// SPDX-License-Identifier: Apache-2.0
import type { SchemaTable } from "../schema/schema.ts";
import type { GroupVersionKind } from "./type-schema.ts";

/** Type name -> kinds of its objects. */
export type KindsByType = ReadonlyMap<string, readonly GroupVersionKind[]>;

const found = new WeakMap<SchemaTable, KindsByType>();

/** All kinds of the table: of resources, their lists and the bodies of subresources. Computed once per table. */
export function kindsByType(table: SchemaTable): KindsByType {
  const known = found.get(table);
  if (known !== undefined) return known;
  const kinds = new Map<string, GroupVersionKind[]>();
  for (const { group, version, kind, subresources } of table.resources) {
    for (const each of [{ group, version, kind }, { group, version, kind: `${kind}List` }, ...subresources]) {
      const name = table.ofKind(each.group, each.version, each.kind)?.name;
      if (name === undefined) continue;
      kinds.set(name, [{ group: each.group, version: each.version, kind: each.kind }]);
    }
  }
  kinds.set("io.k8s.apimachinery.pkg.apis.meta.v1.Status", [{ group: "", version: "v1", kind: "Status" }]);
  found.set(table, kinds);
  return kinds;
}
