// SPDX-License-Identifier: Apache-2.0
// OpenAPI v3 documents of the served groups. The OpenAPI v2 document is made from them.
import type { CustomResource } from "../crd/definition/compile-crd.ts";
import type { JsonObject } from "../json/json.ts";
import { builtInDocument } from "../openapi/built-in-document.ts";
import { type CustomResourceInput, customResourceDocument } from "../openapi/custom-resource-document.ts";
import type { Resource } from "../resources/resource.ts";
import type { ApiContext } from "./api-context.ts";

/** The documents of all groups and versions, each created on demand. */
export function* openApiDocuments(context: ApiContext): Generator<JsonObject> {
  for (const { group, versions } of context.cluster.resources.groups)
    for (const { version } of versions) yield openApiDocument(context, group, version);
}

/** The OpenAPI v3 document of a served group and version. */
export function openApiDocument(context: ApiContext, group: string, version: string): JsonObject {
  const custom = customIn(context, group, version);
  return custom.length > 0
    ? customResourceDocument(context.table, custom.map(toInput))
    : builtInDocument(context.table, group, version);
}

/** The custom resources of a group and version; none for a built-in group. */
export function customIn({ cluster }: ApiContext, group: string, version: string): readonly CustomResource[] {
  return cluster.resources.all.filter(
    (each): each is CustomResource => isCustom(each) && each.facts.group === group && each.facts.version === version,
  );
}

function isCustom(resource: Resource): resource is CustomResource {
  return resource.isCustom;
}

function toInput({ facts, listKind, rawSchema, scale }: CustomResource): CustomResourceInput {
  const hasStatus = facts.subresources.some(({ name }) => name === "status");
  return { facts, listKind, schema: rawSchema, hasStatus, hasScale: scale !== undefined };
}
