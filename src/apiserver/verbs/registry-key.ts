// SPDX-License-Identifier: Apache-2.0
import type { ObjectTarget } from "./api-cluster.ts";

/** Built-in resources that kube-apiserver stores under another name. */
const folders: ReadonlyMap<string, string> = new Map([
  ["services", "services/specs"],
  ["endpoints", "services/endpoints"],
  ["nodes", "minions"],
  ["networking.k8s.io/ingresses", "ingress"],
]);

/** The object's key in kube-apiserver's etcd, which some of its refusals contain. */
export function registryKey({ resource, namespace, name }: Omit<ObjectTarget, "user">): string {
  const { group, resource: plural } = resource.facts;
  const hasGroup = resource.isCustom || group === "apiextensions.k8s.io";
  const folder = folders.get(resource.storageId) ?? (hasGroup ? `${group}/${plural}` : plural);
  return ["/registry", folder, ...(namespace === "" ? [] : [namespace]), name].join("/");
}
