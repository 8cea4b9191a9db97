// SPDX-License-Identifier: Apache-2.0
import {
  type DraftObject,
  ensureObject,
  getKey,
  isEqualJson,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../json/json.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import { type FieldError, invalidValue } from "../status/field-error.ts";

/** Errors in `metadata.ownerReferences`: empty parts, an Event as owner, more than one controller. */
export function validateOwnerReferences(references: Json | undefined, field: string): readonly FieldError[] {
  if (!isList(references)) return [];
  const listed = references.map(toListed);
  const errors: FieldError[] = [];
  let firstController: string | undefined;
  for (const reference of listed) {
    errors.push(...validateReference(reference, field));
    if (reference["controller"] !== true) continue;
    const controller = `${textAt(reference, "kind")}/${textAt(reference, "name")}`;
    if (firstController === undefined) firstController = controller;
    else errors.push(invalidValue(field, listed, secondController(firstController, controller)));
  }
  return errors;
}

function validateReference(reference: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const apiVersion = textAt(reference, "apiVersion") ?? "";
  const kind = textAt(reference, "kind") ?? "";
  if (versionOf(apiVersion) === "")
    errors.push(invalidValue(`${field}.apiVersion`, apiVersion, "version must not be empty"));
  for (const part of ["kind", "name", "uid"])
    if (textAt(reference, part) === "") errors.push(invalidValue(`${field}.${part}`, "", "must not be empty"));
  if (kind === "Event" && (apiVersion === "v1" || apiVersion === "/v1"))
    errors.push(invalidValue(field, reference, "/v1, Kind=Event is disallowed from being an owner"));
  return errors;
}

/** A reference as kube-apiserver shows it: four parts always, the two flags if set. */
function toListed(reference: Json): JsonObject {
  const object = isObject(reference) ? reference : {};
  const flags = ["controller", "blockOwnerDeletion"].flatMap((name) => {
    const flag = getKey(object, name);
    return typeof flag === "boolean" ? [[name, flag] as const] : [];
  });
  const parts = ["apiVersion", "kind", "name", "uid"].map((name) => [name, textAt(object, name) ?? ""] as const);
  return Object.fromEntries<Json>([...parts, ...flags]);
}

/** The version in an apiVersion; empty without one or with more than one slash. */
function versionOf(apiVersion: string): string {
  const [first = "", second, ...more] = apiVersion.split("/");
  return more.length > 0 ? "" : (second ?? first);
}

function secondController(first: string, second: string): string {
  return `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
}

/** Drops duplicate owner references. Returns kube-apiserver's warning; undefined without duplicates. */
export function dedupOwners(object: DraftObject): string | undefined {
  const owners = listAt(object, "metadata", "ownerReferences");
  if (owners === undefined || owners.length < 2) return undefined;
  const kept: typeof owners = [];
  const uids: string[] = [];
  for (const owner of owners) {
    if (kept.some((each) => isEqualJson(each, owner))) uids.push(textAt(owner, "uid") ?? "");
    else kept.push(owner);
  }
  if (uids.length === 0) return undefined;
  ensureObject(object, "metadata")["ownerReferences"] = kept;
  const advice = "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24";
  return `.metadata.ownerReferences contains duplicate entries; ${advice}; please fix your requests; duplicate UID(s) observed: ${uids.join(", ")}`;
}
