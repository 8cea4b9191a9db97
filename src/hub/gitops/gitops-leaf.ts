// SPDX-License-Identifier: Apache-2.0
import { hasCode } from "../../base/error.ts";
import { textOf } from "../../kinds/fields.ts";
import type { ObjectIdentity } from "../../kinds/object-identity.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import { isDnsLabel, isDnsSubdomain } from "../../model/dns-name.ts";
import type { Gvr } from "../../model/gvr.ts";
import { leafClusterId } from "./leaf-cluster-id.ts";

/** The resource that declares leaf clusters. */
export const gitopsClusters: Gvr = { group: "gitops.weave.works", version: "v1alpha1", resource: "gitopsclusters" };

/** A GitopsCluster object: the declaration of one leaf cluster. */
export interface GitopsLeaf {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The id of the cluster at the hub. */
  readonly clusterId: ClusterId;
  /** The Secret of the kubeconfig, in the same namespace; undefined if the object names none. */
  readonly secretName: string | undefined;
}

/** Kubernetes uids have 36 characters. */
const maxUidLength = 128;

/**
 * Reads a GitopsCluster. As in Cluster API, `capiClusterRef` means the Secret `NAME-kubeconfig`; `secretRef` takes
 * precedence. Undefined for an object whose namespace, name or uid is not one that Kubernetes assigns.
 */
export function parseGitopsLeaf(
  object: unknown,
  { namespace, name, uid }: Pick<ObjectIdentity, "namespace" | "name" | "uid">,
): GitopsLeaf | undefined {
  if (!isDnsLabel(namespace) || !isDnsSubdomain(name) || uid === "" || uid.length > maxUidLength) return undefined;
  const clusterId = clusterIdOf(namespace, name);
  return clusterId === undefined ? undefined : { namespace, name, uid, clusterId, secretName: secretNameOf(object) };
}

/** `NAMESPACE/NAME`, as kubectl users write it. */
export function leafText({ namespace, name }: Pick<GitopsLeaf, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

function secretNameOf(object: unknown): string | undefined {
  const given = textOf(object, "spec", "secretRef", "name") ?? "";
  const capi = textOf(object, "spec", "capiClusterRef", "name") ?? "";
  const name = given === "" && capi !== "" ? `${capi}-kubeconfig` : given;
  return isDnsSubdomain(name) ? name : undefined;
}

function clusterIdOf(namespace: string, name: string): ClusterId | undefined {
  try {
    return leafClusterId(namespace, name);
  } catch (reason) {
    if (hasCode(reason, "INVALID_ARGUMENT")) return undefined;
    throw reason;
  }
}
