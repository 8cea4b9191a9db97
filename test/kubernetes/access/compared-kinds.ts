// SPDX-License-Identifier: Apache-2.0
// The kinds of which the rows of users are compared with the answers of an API server, and objects of them.
import { kustomizationKind } from "../../../src/kinds/flux/kustomization-kind.ts";
import { createObject, define } from "../../e2e/fleet/definitions.ts";
import type { KubeClient } from "../kube-client.ts";

/** A kind under every API group that serves its objects. */
export interface ComparedKind {
  /** As the hub's rows name it. */
  readonly resource: string;
  readonly kind: string;
  readonly plural: string;
  /** Each with its version. */
  readonly groups: readonly { readonly group: string; readonly version: string }[];
  readonly isNamespaced: boolean;
}

function comparedKind(group: string, version: string, plural: string, kind: string, isNamespaced = true): ComparedKind {
  const resource = group === "" ? plural : `${group}/${plural}`;
  return { resource, kind, plural, groups: [{ group, version }], isNamespaced };
}

const rbacGroup = "rbac.authorization.k8s.io";

export const comparedKinds: readonly ComparedKind[] = [
  comparedKind("", "v1", "configmaps", "ConfigMap"),
  comparedKind("", "v1", "pods", "Pod"),
  comparedKind("", "v1", "services", "Service"),
  comparedKind("", "v1", "namespaces", "Namespace", false),
  comparedKind("", "v1", "nodes", "Node", false),
  {
    ...comparedKind("", "v1", "events", "Event"),
    groups: [
      { group: "", version: "v1" },
      { group: "events.k8s.io", version: "v1" },
    ],
  },
  comparedKind("apps", "v1", "deployments", "Deployment"),
  comparedKind("kustomize.toolkit.fluxcd.io", "v1", "kustomizations", "Kustomization"),
  comparedKind(rbacGroup, "v1", "roles", "Role"),
  comparedKind(rbacGroup, "v1", "clusterroles", "ClusterRole", false),
];

/** The words of drawn policies: resources `p` of the core group and `q` of the group `x`. */
export interface PolicyWords {
  readonly p: string;
  readonly q: string;
  readonly x: string;
}

/** What policies are about, in turn. Together they name every compared kind; Events are in both groups. */
export const policyWords: readonly PolicyWords[] = [
  { p: "configmaps", q: "deployments", x: "apps" },
  { p: "pods", q: "kustomizations", x: "kustomize.toolkit.fluxcd.io" },
  { p: "events", q: "events", x: "events.k8s.io" },
  { p: "nodes", q: "clusterroles", x: rbacGroup },
  { p: "services", q: "roles", x: rbacGroup },
];

/** In policies' namespaces and in one that no policy names; in each of them objects with these names. */
export const objectNamespaces = ["n", "m", "elsewhere"] as const;
const objectNames = ["a", "b", "n", "other"] as const;

/** The objects of each namespaced kind, as `namespace/name`. */
export const objectKeys: ReadonlySet<string> = new Set(
  objectNamespaces.flatMap((namespace) => objectNames.map((name) => `${namespace}/${name}`)),
);

function bodyOf(plural: string, name: string, namespace: string): object {
  const metadata = { name };
  const container = { name: "app", image: "example.com/app:1" };
  if (plural === "pods") return { metadata, spec: { containers: [container] } };
  if (plural === "services") return { metadata, spec: { clusterIP: "None" } };
  if (plural === "deployments") {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    return { metadata, spec: { replicas: 0, selector: { matchLabels: labels }, template } };
  }
  if (plural === "events") {
    const involvedObject = { apiVersion: "v1", kind: "ConfigMap", namespace, name };
    const lastTimestamp = new Date().toISOString();
    return { metadata, involvedObject, type: "Warning", reason: "Drawn", message: "drawn", lastTimestamp };
  }
  return { metadata };
}

/** Creates the objects that users are compared on. The namespaces must exist. */
export async function fillCluster(admin: KubeClient): Promise<void> {
  await define(admin, kustomizationKind);
  for (const name of objectNames) await admin.ask("POST", "/api/v1/nodes", { body: { metadata: { name } } });
  for (const namespace of objectNamespaces) {
    for (const name of objectNames) {
      for (const plural of ["configmaps", "services", "pods", "events"]) {
        const path = `/api/v1/namespaces/${namespace}/${plural}`;
        await admin.ask("POST", path, { body: bodyOf(plural, name, namespace) });
      }
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      await admin.ask("POST", path, { body: bodyOf("deployments", name, namespace) });
      await createObject(admin, kustomizationKind, namespace, name);
    }
  }
}
