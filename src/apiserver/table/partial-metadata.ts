// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../json/json.ts";
import { objectAt } from "../json/json-fields.ts";

/** Versions of meta.k8s.io for tables and partial objects. */
export type MetaVersion = "v1" | "v1beta1";

/** The object's metadata only. */
export function toPartialMetadata(object: JsonObject, version: MetaVersion = "v1"): JsonObject {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: objectAt(object, "metadata") ?? {},
  };
}

/** `listMeta` is the metadata of the list: resourceVersion and, for a page, continue and remainingItemCount. */
export function toPartialMetadataList(
  objects: readonly JsonObject[],
  listMeta: JsonObject,
  version: MetaVersion = "v1",
): JsonObject {
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMeta,
    items: objects.map((object) => toPartialMetadata(object, version)),
  };
}
