// SPDX-License-Identifier: Apache-2.0
// Types for strategic merge patches: how a field merges, and the type of its content.
import type { FieldSchema, ObjectSchema, SchemaTable, TypeRef } from "../schema/schema.ts";
import { strategicPatchFailed } from "./patch-error.ts";

/** The type of a merged value. */
export interface PatchSchema {
  readonly type: TypeRef;
  /** Whether the Go field is a pointer. Affects messages, and fields that hold a list. */
  readonly pointer: boolean;
}

/** How a field merges. */
export interface PatchField {
  readonly schema: PatchSchema;
  readonly strategy: "merge" | "replace" | undefined;
  /** The key that identifies the items of a list; empty without one. */
  readonly mergeKey: string;
}

/** Finds the types of fields. Throws kube-apiserver's error if a type has no such field. */
export class PatchSchemas {
  readonly #table: SchemaTable;

  constructor(table: SchemaTable) {
    this.#table = table;
  }

  root(schema: ObjectSchema): PatchSchema {
    return { type: { kind: "object", name: schema.name }, pointer: false };
  }

  /** A field with a map. */
  mapField(parent: PatchSchema, key: string): PatchField {
    const field = this.#field(parent, key);
    const strategy = field.patchStrategies.find((each) => each !== "retainKeys");
    return { schema: { type: field.type, pointer: field.pointer }, strategy, mergeKey: field.patchMergeKey ?? "" };
  }

  /** A field with a list; the schema is that of its items. */
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
    // `json` (any value) is a struct in Go, without fields that have JSON names.
    const struct = type.kind === "object" ? this.#table.object(type.name) : undefined;
    const field = struct?.fields.get(key);
    if (field !== undefined) return field;
    const where = `struct ${struct?.goName ?? "RawExtension"} for the json field ${JSON.stringify(key)}`;
    throw strategicPatchFailed(`unable to find api field in ${where}`);
  }
}

/** Go's reflect kind of a type. */
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
