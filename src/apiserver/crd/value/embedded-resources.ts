// SPDX-License-Identifier: Apache-2.0
// Objects inside custom resources (x-kubernetes-embedded-resource). They have apiVersion, kind and metadata.

import { compareUtf8 } from "../../../model/text.ts";
import {
  type Draft,
  type DraftObject,
  getKey,
  isList,
  isObject,
  type Json,
  type JsonObject,
  setKey,
} from "../../json/json.ts";
import { textAt } from "../../json/json-fields.ts";
import { sortKeys } from "../../json/stringify-json.ts";
import { dns1035LabelErrors, pathSegmentErrors } from "../../metadata/name-rules.ts";
import { validateObjectMeta } from "../../metadata/object-meta.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { decodeObjectMeta } from "./decode-object-meta.ts";

/** The result of `cleanEmbedded`: the sorted paths of dropped unknown fields, or the first value of a wrong type. */
export type EmbeddedOutcome =
  | { readonly dropped: readonly string[]; readonly error?: undefined }
  | { readonly error: FieldError };

/** Normalizes the metadata of every embedded resource. Stops at the first value of a wrong type. */
export function cleanEmbedded(value: Draft, node: SchemaNode, field = ""): EmbeddedOutcome {
  const dropped: string[] = [];
  const error = cleanAt(value, node, field, dropped);
  return error === undefined ? { dropped: dropped.toSorted(compareUtf8) } : { error };
}

/** Errors in embedded resources. */
export function validateEmbedded(value: Json, node: SchemaNode | undefined, field = ""): readonly FieldError[] {
  if (node === undefined) return [];
  if (isList(value)) return value.flatMap((item, index) => validateEmbedded(item, node.items, `${field}[${index}]`));
  if (!isObject(value)) return [];
  return [
    ...(node.isEmbeddedResource ? validateResource(value, field) : []),
    ...childrenOf(value, node, field).flatMap(({ held, child, place }) => validateEmbedded(held, child, place)),
  ];
}

function cleanAt(value: Draft, node: SchemaNode | undefined, field: string, dropped: string[]): FieldError | undefined {
  if (node === undefined) return undefined;
  if (isList(value)) {
    for (const [index, item] of value.entries()) {
      const error = cleanAt(item, node.items, `${field}[${index}]`, dropped);
      if (error !== undefined) return error;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const error = node.isEmbeddedResource ? cleanResource(value, field, dropped) : undefined;
  if (error !== undefined) return error;
  for (const key of Object.keys(value)) {
    const { child, place } = childAt(node, key, field);
    const below = cleanAt(getKey(value, key) ?? null, child, place, dropped);
    if (below !== undefined) return below;
  }
  return undefined;
}

function cleanResource(resource: DraftObject, field: string, dropped: string[]): FieldError | undefined {
  for (const key of ["apiVersion", "kind"]) {
    const value = getKey(resource, key);
    if (value !== undefined && typeof value !== "string")
      return invalidValue(join(field, key), value, "must be a string");
  }
  const metadata = getKey(resource, "metadata");
  if (metadata === undefined) return undefined;
  const place = join(field, "metadata");
  const decoded = decodeObjectMeta(metadata);
  if (decoded.error !== undefined) return invalidValue(place, sortKeys(metadata), decoded.error);
  dropped.push(...decoded.unknown.map((path) => `${place}.${path}`));
  setKey(resource, "metadata", decoded.meta);
  return undefined;
}

function validateResource(resource: JsonObject, field: string): readonly FieldError[] {
  const apiVersion = getKey(resource, "apiVersion");
  const kind = getKey(resource, "kind");
  return [
    ...(apiVersion === undefined ? [requiredValue(join(field, "apiVersion"))] : []),
    ...(kind === undefined ? [requiredValue(join(field, "kind"))] : []),
    ...(apiVersion === undefined ? [] : validateText(apiVersion, join(field, "apiVersion"), groupVersionError)),
    ...(kind === undefined ? [] : validateText(kind, join(field, "kind"), kindError)),
    ...validateMetadata(getKey(resource, "metadata"), join(field, "metadata")),
  ];
}

function validateText(value: Json, field: string, findError: (text: string) => string): readonly FieldError[] {
  if (typeof value !== "string") return [invalidValue(field, value, "must be a string")];
  const error = value === "" ? "must not be empty" : findError(value);
  return error === "" ? [] : [invalidValue(field, value, error)];
}

function groupVersionError(text: string): string {
  return text.split("/").length > 2 ? `unexpected GroupVersion string: ${text}` : "";
}

function kindError(text: string): string {
  const errors = dns1035LabelErrors(text.toLowerCase(), false);
  return errors.length === 0 ? "" : `may have mixed case, but should otherwise match: ${errors.join(",")}`;
}

function validateMetadata(metadata: Json | undefined, field: string): readonly FieldError[] {
  if (metadata === undefined) return [];
  const decoded = decodeObjectMeta(metadata);
  if (decoded.error !== undefined) return [invalidValue(field, sortKeys(metadata), decoded.error)];
  const name = textAt(decoded.meta, "name") ?? "any-name";
  const namespaced = (textAt(decoded.meta, "namespace") ?? "") !== "";
  return validateObjectMeta({ ...decoded.meta, name }, { namespaced, nameErrors: pathSegmentErrors, field });
}

interface Child {
  readonly held: Json;
  readonly child: SchemaNode | undefined;
  readonly place: string;
}

function childrenOf(object: JsonObject, node: SchemaNode, field: string): readonly Child[] {
  return Object.keys(object)
    .toSorted(compareUtf8)
    .map((key) => ({ held: getKey(object, key) ?? null, ...childAt(node, key, field) }));
}

/** The path of a map's key has brackets; that of a property has a dot. */
function childAt(node: SchemaNode, key: string, field: string): Omit<Child, "held"> {
  const property = node.properties.get(key);
  if (property !== undefined) return { child: property, place: join(field, key) };
  const additional = node.additionalProperties;
  return { child: typeof additional === "object" ? additional : undefined, place: `${field}[${key}]` };
}

function join(field: string, key: string): string {
  return field === "" ? key : `${field}.${key}`;
}
