// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../json/json.ts";
import type { Resource } from "../resources/resource.ts";
import type { ResourceRegistry, ServedGroup } from "../resources/resource-registry.ts";
import type { SubresourceFacts } from "../schema/schema.ts";

/** Versions of the aggregated discovery document. They differ in name only. */
export type AggregatedVersion = "v2" | "v2beta1";

/** All groups with their resources in one document: the core group for `/api`, the others for `/apis`. */
export function aggregatedDiscovery(
  registry: ResourceRegistry,
  path: "/api" | "/apis",
  version: AggregatedVersion,
): JsonObject {
  const groups = registry.groups.filter(({ group }) => (group === "") === (path === "/api"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(toGroup),
  };
}

function toGroup({ group, versions }: ServedGroup): JsonObject {
  return {
    metadata: group === "" ? {} : { name: group },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: [...resources].sort(byName).map(toResource),
      freshness: "Current",
    })),
  };
}

function byName(a: Resource, b: Resource): number {
  return a.facts.resource < b.facts.resource ? -1 : 1;
}

function toResource(resource: Resource): JsonObject {
  const { facts } = resource;
  const { shortNames, categories, subresources } = facts;
  return {
    resource: facts.resource,
    responseKind: responseKind(resource, facts),
    scope: facts.namespaced ? "Namespaced" : "Cluster",
    singularResource: facts.singular,
    verbs: facts.verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources: subresources.map((each) => toSubresource(resource, each)) }),
  };
}

function toSubresource(resource: Resource, subresource: SubresourceFacts): JsonObject {
  return {
    subresource: subresource.name,
    responseKind: responseKind(resource, subresource),
    verbs: subresource.verbs,
  };
}

/** Built-in resources omit a group and version equal to the document's; custom ones repeat them. */
function responseKind({ facts, isCustom }: Resource, { group, version, kind }: KindName): JsonObject {
  const isSame = group === facts.group && version === facts.version;
  return isSame && !isCustom ? { group: "", version: "", kind } : { group, version, kind };
}

type KindName = Pick<SubresourceFacts, "group" | "version" | "kind">;
