// SPDX-License-Identifier: Apache-2.0
// Strategic merge patch: a merge patch that merges lists item by item where the types of the kind define it.
import {
  copyJson,
  type Draft,
  type DraftObject,
  deleteKey,
  getKey,
  isList,
  isObject,
  type Json,
  type JsonObject,
  setKey,
} from "../json/json.ts";
import type { ObjectSchema, SchemaTable } from "../schema/schema.ts";
import { areMaps, orderItems } from "./element-order.ts";
import {
  applyRetainKeys,
  deleteListField,
  discardNulls,
  orderField,
  patchDirective,
  unknownDirective,
  withoutDirectives,
} from "./patch-directives.ts";
import { wrongGoType, wrongPatchBody } from "./patch-error.ts";
import { type PatchField, type PatchSchema, PatchSchemas } from "./patch-schema.ts";
import { checkOrder, mergeLists } from "./strategic-list.ts";

/**
 * Applies a strategic merge patch to a copy of the object. `schema` is the type of the object's kind, `patch` the
 * parsed request body. Unknown keys are copied; decoding reports them. Throws an ApiError for a patch that cannot be
 * applied.
 */
export function applyStrategicMergePatch(
  table: SchemaTable,
  schema: ObjectSchema,
  original: JsonObject,
  patch: Json,
): DraftObject {
  if (patch !== null && !isObject(patch)) throw wrongPatchBody(patch, "map[string]interface {}", "");
  const schemas = new PatchSchemas(table);
  return new StrategicMerge(schemas).mergeMaps(copyJson(original), copyJson(patch ?? {}), schemas.root(schema));
}

/** Changes both the original and the patch: pass copies. */
class StrategicMerge {
  readonly #schemas: PatchSchemas;

  constructor(schemas: PatchSchemas) {
    this.#schemas = schemas;
  }

  mergeMaps(original: DraftObject, patch: DraftObject, schema: PatchSchema): DraftObject {
    const directive = getKey(patch, patchDirective);
    if (directive === "replace") {
      deleteKey(patch, patchDirective);
      return patch;
    }
    if (directive === "delete") return {};
    if (directive !== undefined) throw unknownDirective(directive, patch);
    applyRetainKeys(original, patch);
    for (const key of Object.keys(patch)) this.#orderList(original, patch, key, schema);
    for (const key of Object.keys(patch)) this.#mergeKey(original, key, getKey(patch, key) ?? null, schema);
    return original;
  }

  #mergeKey(original: DraftObject, patchKey: string, value: Draft, schema: PatchSchema): void {
    const deleteField = deleteListField(patchKey);
    const key = deleteField === undefined || deleteField === "" ? patchKey : deleteField;
    if (value === null) {
      deleteKey(original, key);
      return;
    }
    const current = getKey(original, key);
    if (isObject(current) && isObject(value)) {
      const field = this.#schemas.mapField(schema, key);
      const merged = field.strategy === "replace" ? value : this.mergeMaps(current, value, field.schema);
      setKey(original, key, merged);
    } else if (isList(current) && isList(value)) {
      const field = this.#schemas.listField(schema, key);
      setKey(original, key, this.#mergeLists(current, value, field, deleteField !== undefined));
    } else if (deleteField === undefined) replaceValue(original, key, value);
  }

  #mergeLists(original: Draft[], patch: Draft[], field: PatchField, isDeleteList: boolean): Draft[] {
    const mergeItem = (old: DraftObject, item: DraftObject): DraftObject => this.mergeMaps(old, item, field.schema);
    return mergeLists({ original, patch, field, isDeleteList, mergeItem });
  }

  /** Merges and orders a list with `$setElementOrder`. Removes the list and the directive from the patch. */
  #orderList(original: DraftObject, patch: DraftObject, directive: string, schema: PatchSchema): void {
    if (!directive.startsWith("$setElementOrder")) return;
    const order = listUnder(patch, directive) ?? [];
    deleteKey(patch, directive);
    const key = orderField(directive) ?? "";
    const originalList = listUnder(original, key);
    const patchList = listUnder(patch, key);
    const field = this.#schemas.listField(schema, key);
    checkOrder(patchList ?? [], order, field.mergeKey);
    if (originalList === undefined && patchList === undefined) return;
    const merged = this.#mergeOrdered(originalList, patchList, field);
    const identity = { areMaps: areMaps(originalList ?? [], patchList ?? []), mergeKey: field.mergeKey };
    setKey(original, key, orderItems({ merged, patchOrder: order, oldOrder: originalList ?? [], identity }));
    deleteKey(patch, key);
  }

  #mergeOrdered(original: Draft[] | undefined, patch: Draft[] | undefined, field: PatchField): readonly Draft[] {
    if (patch === undefined) return original ?? [];
    if (original !== undefined) return this.#mergeLists(original, patch, field, false);
    const added = withoutDirectives(patch);
    return isList(added) ? added : [];
  }
}

/** Sets a value of the patch that has no counterpart of its type. */
function replaceValue(original: DraftObject, key: string, value: Draft): void {
  discardNulls(value);
  const added = withoutDirectives(value);
  if (added === undefined) deleteKey(original, key);
  else setKey(original, key, added);
}

function listUnder(map: DraftObject, key: string): Draft[] | undefined {
  const value = getKey(map, key);
  if (value !== undefined && !isList(value)) throw wrongGoType("list", value);
  return value;
}
