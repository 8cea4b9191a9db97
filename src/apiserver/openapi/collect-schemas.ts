// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { type DraftObject, type JsonObject, setKey } from "../json/json.ts";
import type { ObjectSchema, SchemaTable, TypeRef } from "../schema/schema.ts";
import type { KindsByType } from "./kinds-by-type.ts";
import { schemaName, specialSchemas, toTypeSchema } from "./type-schema.ts";

/** The schemas of these types and of all types that they refer to, sorted by name. */
export function collectSchemas(table: SchemaTable, roots: Iterable<string>, kinds: KindsByType): JsonObject {
  const found = new Map<string, JsonObject>();
  const waiting = [...roots];
  const refer = (type: TypeRef, owner: ObjectSchema): void => {
    if (type.kind === "list") refer(type.item, owner);
    else if (type.kind === "map") refer(type.value, owner);
    else {
      const name = schemaName(type, owner);
      if (name !== undefined && !found.has(name)) waiting.push(name);
    }
  };
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const special = specialSchemas.get(name);
    if (special !== undefined) {
      found.set(name, special);
      continue;
    }
    const type = table.object(name);
    found.set(name, toTypeSchema(type, kinds.get(name) ?? []));
    for (const field of type.fields.values()) refer(field.type, type);
  }
  const schemas: DraftObject = {};
  for (const name of [...found.keys()].sort()) {
    const schema = found.get(name);
    assert(schema !== undefined, "a name that was found has its schema");
    setKey(schemas, name, schema as DraftObject);
  }
  return schemas;
}
