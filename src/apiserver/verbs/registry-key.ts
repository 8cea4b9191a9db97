// SPDX-License-Identifier: Apache-2.0
import type { ObjectTarget } from "./api-cluster.ts";

/** Built-in resources that the real server stores under another name than their own. */
const folders: ReadonlyMap<string, string> = new Map([
  ["services", "services/specs"],
  ["endpoints", "services/endpoints"],
  ["nodes", "minions"],
  ["networking.k8s.io/ingresses", "ingress"],
]);

/** Where the real server stores the object, which some of its refusals tell. */
export function registryKey({ resource, namespace, name }: Omit<ObjectTarget, "user">): string {
  const { group, resource: plural } = resource.facts;
  const hasGroup = resource.isCustom || group === "apiextensions.k8s.io";
  const folder = folders.get(resource.storageId) ?? (hasGroup ? `${group}/${plural}` : plural);
  return ["/registry", folder, ...(namespace === "" ? [] : [namespace]), name].join("/");
}
