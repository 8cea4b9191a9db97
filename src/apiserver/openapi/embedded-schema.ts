// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, getKey, isList, isObject, type Json, type JsonObject, setKey } from "../json/json.ts";
import { referenceTo } from "./type-schema.ts";

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Whether the schema is that of an embedded resource, which has its own apiVersion, kind and metadata. */
export function isEmbedded(schema: JsonObject): boolean {
  return getKey(schema, "x-kubernetes-embedded-resource") === true;
}

/** A copy of a custom resource's schema in which embedded resources have the properties of all objects. */
export function withEmbeddedProperties(schema: JsonObject): JsonObject {
  const copy: DraftObject = {};
  for (const [key, value] of Object.entries(schema)) setKey(copy, key, copyPart(key, value));
  if (!isEmbedded(schema)) return copy;
  const required = isList(copy["required"]) ? copy["required"] : [];
  copy["required"] = [...required, ...["kind", "apiVersion"].filter((name) => !required.includes(name))];
  copy["properties"] = {
    ...(isObject(copy["properties"]) ? copy["properties"] : {}),
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { allOf: [referenceTo(objectMeta) as DraftObject] },
  };
  return copy;
}

function copyPart(key: string, value: Json): DraftObject[string] {
  if (key === "properties" && isObject(value)) {
    const properties: DraftObject = {};
    for (const [name, part] of Object.entries(value)) setKey(properties, name, copyNested(part));
    return properties;
  }
  return key === "items" || key === "additionalProperties" ? copyNested(value) : (value as DraftObject[string]);
}

function copyNested(value: Json): DraftObject[string] {
  return (isObject(value) ? withEmbeddedProperties(value) : value) as DraftObject[string];
}
