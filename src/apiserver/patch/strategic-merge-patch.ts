// SPDX-License-Identifier: Apache-2.0
// Strategic merge patch: a merge patch that knows from the types of a kind which lists are merged item by item.
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
 * The object with a strategic merge patch applied, as a draft of its own. `schema` is the type of the object's kind, `patch` the parsed body of the request.
 * Keys that the type does not have are taken over: decoding complains of them. Throws an ApiError for a patch that cannot be applied.
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

/** Works on copies: both the original and the patch are used up. */
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

  /** Merges and orders a list for which the patch has `$setElementOrder`; takes both out of the patch. */
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

/** Puts a value of the patch where nothing of its type is. */
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
