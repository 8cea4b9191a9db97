// SPDX-License-Identifier: Apache-2.0
// What the type of a kind says about strategic merge patches: how a field merges, and what its content is.
import type { FieldSchema, ObjectSchema, SchemaTable, TypeRef } from "../schema/schema.ts";
import { strategicPatchFailed } from "./patch-error.ts";

/** The type of a value that is merged. */
export interface PatchSchema {
  readonly type: TypeRef;
  /** Go holds it by pointer; only messages tell. */
  readonly pointer: boolean;
}

/** How a field merges. */
export interface PatchField {
  readonly schema: PatchSchema;
  readonly strategy: "merge" | "replace" | undefined;
  /** The key that tells the items of a list apart; empty where there is none. */
  readonly mergeKey: string;
}

/** Finds the types of fields. Throws what the real server answers where a type has no such field. */
export class PatchSchemas {
  readonly #table: SchemaTable;

  constructor(table: SchemaTable) {
    this.#table = table;
  }

  root(schema: ObjectSchema): PatchSchema {
    return { type: { kind: "object", name: schema.name }, pointer: false };
  }

  /** A field that holds a map. */
  mapField(parent: PatchSchema, key: string): PatchField {
    const field = this.#field(parent, key);
    const strategy = field.patchStrategies.find((each) => each !== "retainKeys");
    return { schema: { type: field.type, pointer: field.pointer }, strategy, mergeKey: field.patchMergeKey ?? "" };
  }

  /** A field that holds a list; the schema is that of its items. */
  listField(parent: PatchSchema, key: string): PatchField {
    const field = this.mapField(parent, key);
    const { type } = field.schema;
    if (type.kind === "list") {
      if (type.item.kind === "list") throw strategicPatchFailed("unexpected slice of slice");
      return { ...field, schema: { type: type.item, pointer: false } };
    }
    if (field.schema.pointer) return field;
    const kind = parent.pointer ? "ptr" : goKindOf(parent.type);
    throw strategicPatchFailed(`expected slice or array type, but got: ${kind}`);
  }

  #field({ type }: PatchSchema, key: string): FieldSchema {
    if (type.kind !== "object" && type.kind !== "json") {
      const kind = goKindOf(type);
      throw strategicPatchFailed(`merging an object in json but data type is not struct, instead is: ${kind}`);
    }
    // Any value (`json`) is a struct in Go, without fields that JSON could name.
    const struct = type.kind === "object" ? this.#table.object(type.name) : undefined;
    const field = struct?.fields.get(key);
    if (field !== undefined) return field;
    const where = `struct ${struct?.goName ?? "RawExtension"} for the json field ${JSON.stringify(key)}`;
    throw strategicPatchFailed(`unable to find api field in ${where}`);
  }
}

/** Go's word for what a type is. */
export function goKindOf(type: TypeRef): string {
  switch (type.kind) {
    case "list":
    case "bytes":
      return "slice";
    case "map":
      return "map";
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "int32":
    case "int64":
      return type.kind;
    case "double":
      return "float64";
    default:
      return "struct";
  }
}
