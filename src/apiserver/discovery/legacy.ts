// SPDX-License-Identifier: Apache-2.0
// Discovery in separate documents, for older clients.
import { createHash } from "node:crypto";
import type { JsonObject } from "../json/json.ts";
import type { Resource } from "../resources/resource.ts";
import type { ResourceRegistry, ServedGroup, ServedVersion } from "../resources/resource-registry.ts";
import { apiVersionOf } from "../storage/render-object.ts";

/** `GET /api`. */
export function apiVersions(serverAddress: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** `GET /apis`. */
export function apiGroupList(registry: ResourceRegistry): JsonObject {
  const groups = registry.groups.filter(({ group }) => group !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupBody) };
}

/** `GET /apis/GROUP`. */
export function apiGroup(served: ServedGroup): JsonObject {
  return { kind: "APIGroup", apiVersion: "v1", ...groupBody(served) };
}

/** `GET /api/v1` and `GET /apis/GROUP/VERSION`. */
export function apiResourceList(served: ServedVersion): JsonObject {
  return {
    kind: "APIResourceList",
    ...(served.group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf(served),
    resources: served.resources.some(({ isCustom }) => isCustom)
      ? served.resources.flatMap(resourceEntries)
      : served.resources.flatMap(resourceEntries).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function groupBody({ group, versions }: ServedGroup): JsonObject {
  const entries = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group, version }), version }));
  return { name: group, versions: entries, preferredVersion: entries[0] ?? {} };
}

function resourceEntries({ facts, isCustom }: Resource): readonly (JsonObject & { readonly name: string })[] {
  const { namespaced, resource, group, version } = facts;
  const storageVersionHash = isCustom ? customVersionHash(facts) : facts.storageVersionHash;
  return [
    {
      name: resource,
      singularName: facts.singular,
      namespaced,
      kind: facts.kind,
      verbs: facts.verbs,
      ...(facts.shortNames.length === 0 ? {} : { shortNames: facts.shortNames }),
      ...(facts.categories.length === 0 ? {} : { categories: facts.categories }),
      ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
    },
    ...facts.subresources.map((sub) => ({
      name: `${resource}/${sub.name}`,
      singularName: "",
      namespaced,
      ...(sub.group === group && sub.version === version ? {} : { group: sub.group, version: sub.version }),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ];
}

/** The hash of the storage version and kind. Storage migrators use it to detect a change. */
function customVersionHash({ group, version, kind }: Resource["facts"]): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
