// SPDX-License-Identifier: Apache-2.0
// JSON patch (RFC 6902) as kube-apiserver applies it. Unlike in the RFC, `replace` and `copy` accept an absent key, and
// negative indexes count from the end of a list.

import { utf8ByteCount } from "../../model/text.ts";
import {
  copyJson,
  type Draft,
  type DraftObject,
  getKey,
  isEqualJson,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../json/json.ts";
import { textAt } from "../json/json-fields.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { ApiError, badRequest } from "../status/api-error.ts";
import { jsonTypeOf } from "./go-value.ts";
import { addAt, type JsonPointerTarget, readAt, removeAt, replaceAt, resolvePointer } from "./json-pointer.ts";
import { patchedObjectRefused, patchFailed, wrongPatchBody } from "./patch-error.ts";

/** Kubernetes' limit of operations in one patch. */
const maxOperationCount = 10_000;

/** Kubernetes' limit of the bytes that all copies of one patch add: twice etcd's request limit. */
const maxCopyBytes = 3 * 1024 * 1024;

/**
 * Copies and moves can nest an object deeper than a body may be. No kind comes near this limit, and recursion is safe
 * far above it.
 */
const maxDepth = 1_000;

/**
 * Inserting or removing a list item moves the items after it. This many moves take half a second; no reasonable patch
 * needs them.
 */
const maxMovedItemCount = 100_000_000;

const operationKeys: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

/**
 * Applies the operations to a copy of the object. `operations` is the parsed request body. Throws an ApiError for a
 * body that is not a list of operations, for too many operations, and for one that cannot be applied.
 */
export function applyJsonPatch(object: JsonObject, operations: Json): DraftObject {
  const checked = checkOperations(operations);
  const document = new PatchedDocument(copyJson(object));
  for (const operation of checked) document.apply(operation);
  return document.finish();
}

/** Complaints of strict field validation: unknown keys of operations. The parser reports repeated keys. */
export function jsonPatchComplaints(operations: Json): readonly string[] {
  if (!isList(operations)) return [];
  return operations.flatMap((operation, index) =>
    (isObject(operation) ? Object.keys(operation) : [])
      .filter((key) => !operationKeys.has(key))
      .map((key) => `json patch unknown field "[${index}].${key}"`),
  );
}

function checkOperations(operations: Json): readonly JsonObject[] {
  if (operations === null) return [];
  if (!isList(operations)) throw wrongPatchBody(operations, "[]handlers.jsonPatchOp");
  const checked = operations.map(checkOperation);
  if (checked.length <= maxOperationCount) return checked;
  const limit = `The allowed maximum operations in a JSON patch is ${maxOperationCount}, got ${checked.length}`;
  throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: ${limit}`);
}

function checkOperation(operation: Json): JsonObject {
  if (operation === null) return {};
  if (!isObject(operation)) throw wrongPatchBody(operation, "handlers.jsonPatchOp");
  for (const key of Object.keys(operation)) {
    const value = getKey(operation, key) ?? null;
    if (!["op", "path", "from"].includes(key) || value === null || typeof value === "string") continue;
    const what = `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field jsonPatchOp.${key} of type string`;
    throw badRequest(`error decoding patch: ${what}`);
  }
  return operation;
}

class PatchedDocument {
  #root: DraftObject | Draft[];
  #copiedBytes = 0;
  /** An upper bound of the items that operations have moved within lists. */
  #movedItemCount = 0;

  constructor(root: DraftObject) {
    this.#root = root;
  }

  apply(operation: JsonObject): void {
    const op = textAt(operation, "op");
    switch (op) {
      case "add":
        return addAt(this.#locate(operation, "path"), valueOf(operation));
      case "remove":
        return removeAt(this.#locate(operation, "path"));
      case "replace":
        return this.#replace(operation);
      case "move":
        return this.#move(operation);
      case "copy":
        return this.#copy(operation);
      case "test":
        return this.#test(operation);
      default:
        throw patchFailed(`Unexpected kind: ${op ?? "unknown"}`);
    }
  }

  finish(): DraftObject {
    assertNotTooDeep(this.#root);
    if (isObject(this.#root)) return this.#root;
    const goType =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    throw patchedObjectRefused(
      stringifyJson(this.#root),
      `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${goType}`,
    );
  }

  #locate(operation: JsonObject, key: "path" | "from"): JsonPointerTarget {
    const path = textAt(operation, key);
    const location = path === undefined ? undefined : resolvePointer(this.#root, path);
    if (location === undefined) throw patchFailed(`doc is missing ${key}: ${path}`);
    if (isList(location.container)) this.#movedItemCount += location.container.length;
    if (this.#movedItemCount > maxMovedItemCount) throw patchFailed(`moved more than ${maxMovedItemCount} items`);
    return location;
  }

  #replace(operation: JsonObject): void {
    if (textAt(operation, "path") !== "") return replaceAt(this.#locate(operation, "path"), valueOf(operation));
    const value = valueOf(operation);
    if (!isObject(value) && !isList(value)) throw patchFailed("replace operation value must be object or array");
    this.#root = value;
  }

  #move(operation: JsonObject): void {
    const from = this.#locate(operation, "from");
    const value = readAt(from) ?? null;
    removeAt(from);
    addAt(this.#locate(operation, "path"), value);
  }

  #copy(operation: JsonObject): void {
    const value = readAt(this.#locate(operation, "from"));
    const target = this.#locate(operation, "path");
    if (value === undefined) return addAt(target, null);
    assertNotTooDeep(value);
    this.#copiedBytes += utf8ByteCount(stringifyJson(value));
    if (this.#copiedBytes > maxCopyBytes) throw patchFailed(`copied more than ${maxCopyBytes} bytes`);
    addAt(target, copyJson(value));
  }

  #test(operation: JsonObject): void {
    const path = textAt(operation, "path");
    const actual = path === "" ? this.#root : readAt(this.#locate(operation, "path"));
    // An absent key equals null, and so does an absent value of the operation.
    if (!isEqualJson(actual ?? null, getKey(operation, "value") ?? null))
      throw patchFailed(`testing value ${path} failed`);
  }
}

function valueOf(operation: JsonObject): Draft {
  return copyJson(getKey(operation, "value") ?? null);
}

function assertNotTooDeep(value: Json): void {
  if (isDeeperThan(value, maxDepth)) throw patchFailed(`nested deeper than ${maxDepth}`);
}

function isDeeperThan(value: Json, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth === 0) return true;
  return Object.values<Json>(value).some((inner) => isDeeperThan(inner, depth - 1));
}
