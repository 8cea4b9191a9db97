// SPDX-License-Identifier: Apache-2.0
// The built-in resources of the table, and their discovery documents from the server.
import { z } from "zod";
import type { ResourceFacts, SubresourceFacts } from "../../src/apiserver/schema/schema.ts";

/** Group and version -> the included resources, or "all". */
const wanted: ReadonlyMap<string, "all" | readonly string[]> = new Map<string, "all" | readonly string[]>([
  [
    "v1",
    [
      "bindings",
      "configmaps",
      "endpoints",
      "events",
      "limitranges",
      "namespaces",
      "nodes",
      "persistentvolumeclaims",
      "persistentvolumes",
      "pods",
      "podtemplates",
      "replicationcontrollers",
      "resourcequotas",
      "secrets",
      "serviceaccounts",
      "services",
    ],
  ],
  ["apps/v1", "all"],
  ["events.k8s.io/v1", "all"],
  ["authentication.k8s.io/v1", "all"],
  ["authorization.k8s.io/v1", "all"],
  ["autoscaling/v2", "all"],
  ["autoscaling/v1", "all"],
  ["batch/v1", "all"],
  ["networking.k8s.io/v1", "all"],
  ["policy/v1", "all"],
  ["rbac.authorization.k8s.io/v1", "all"],
  ["storage.k8s.io/v1", ["csistoragecapacities", "storageclasses", "csidrivers", "csinodes", "volumeattachments"]],
  ["admissionregistration.k8s.io/v1", "all"],
  ["certificates.k8s.io/v1", "all"],
  ["flowcontrol.apiserver.k8s.io/v1", "all"],
  ["node.k8s.io/v1", "all"],
  ["apiextensions.k8s.io/v1", "all"],
  ["scheduling.k8s.io/v1", ["priorityclasses"]],
  ["coordination.k8s.io/v1", ["leases"]],
  ["discovery.k8s.io/v1", "all"],
]);

const responseKind = z.object({ group: z.string(), version: z.string(), kind: z.string() });
const discovery = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string().default("") }),
      versions: z.array(
        z.object({
          version: z.string(),
          resources: z.array(
            z.object({
              resource: z.string(),
              responseKind,
              scope: z.enum(["Namespaced", "Cluster"]),
              singularResource: z.string(),
              verbs: z.array(z.string()),
              shortNames: z.array(z.string()).default([]),
              categories: z.array(z.string()).default([]),
              subresources: z
                .array(z.object({ subresource: z.string(), responseKind, verbs: z.array(z.string()) }))
                .default([]),
            }),
          ),
        }),
      ),
    }),
  ),
});
const resourceList = z.object({
  resources: z.array(z.object({ name: z.string(), storageVersionHash: z.string().optional() })),
});

/** A GET request to the running server; returns parsed JSON. */
export type Fetch = (path: string, accept: string) => Promise<unknown>;

/** `v1` or `apps/v1`. */
export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The wanted resources in the order of the server. Throws if the server lacks one of them. */
export async function readDiscovery(fetch: Fetch): Promise<readonly ResourceFacts[]> {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const groups = [await fetch("/api", accept), await fetch("/apis", accept)].flatMap(
    (text) => discovery.parse(text).items,
  );
  const found: ResourceFacts[] = [];
  for (const { metadata, versions } of groups) {
    for (const { version, resources } of versions) {
      const group = metadata.name;
      const choice = wanted.get(apiVersionOf(group, version));
      if (choice === undefined) continue;
      const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      const listed = resourceList.parse(await fetch(path, "application/json")).resources;
      for (const each of resources) {
        if (choice !== "all" && !choice.includes(each.resource)) continue;
        found.push({
          group,
          version,
          resource: each.resource,
          singular: each.singularResource,
          kind: each.responseKind.kind,
          namespaced: each.scope === "Namespaced",
          verbs: each.verbs,
          shortNames: each.shortNames,
          categories: each.categories,
          subresources: each.subresources.map((sub) => toSubresource(sub, group, version)),
          storageVersionHash: listed.find(({ name }) => name === each.resource)?.storageVersionHash,
        });
      }
    }
  }
  assertComplete(found);
  return found;
}

/** The server omits the group and version of a response kind if they are the resource's own. */
function toSubresource(
  sub: {
    readonly subresource: string;
    readonly responseKind: z.infer<typeof responseKind>;
    readonly verbs: readonly string[];
  },
  group: string,
  version: string,
): SubresourceFacts {
  const isOwn = sub.responseKind.version === "";
  return {
    name: sub.subresource,
    group: isOwn ? group : sub.responseKind.group,
    version: isOwn ? version : sub.responseKind.version,
    kind: sub.responseKind.kind,
    verbs: sub.verbs,
  };
}

function assertComplete(found: readonly ResourceFacts[]): void {
  for (const [apiVersion, choice] of wanted) {
    const served = found.filter(({ group, version }) => apiVersionOf(group, version) === apiVersion);
    const names = new Set(served.map(({ resource }) => resource));
    const missing = choice === "all" ? [] : choice.filter((name) => !names.has(name));
    if (served.length === 0 || missing.length > 0)
      throw new Error(`${apiVersion} is not served completely: ${missing.join(", ")}`);
  }
}
