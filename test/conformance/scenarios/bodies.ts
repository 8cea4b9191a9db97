// SPDX-License-Identifier: Apache-2.0
// Bodies and paths that many scenarios share.

/** JSON as it is sent. */
type Body = Readonly<Record<string, unknown>>;

export const configMaps = "/api/v1/namespaces/${ns}/configmaps";
export const deployments = "/apis/apps/v1/namespaces/${ns}/deployments";
export const pods = "/api/v1/namespaces/${ns}/pods";
export const services = "/api/v1/namespaces/${ns}/services";

export const mergePatch = { "content-type": "application/merge-patch+json" };
export const jsonPatch = { "content-type": "application/json-patch+json" };
export const strategicPatch = { "content-type": "application/strategic-merge-patch+json" };
export const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
export const asMetadata = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
export const asMetadataList = { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" };

/** A ConfigMap; `more` adds to or replaces its top-level fields. */
export function configMap(name: string, data: Body = { a: "1" }, metadata: Body = {}): Body {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

/** The smallest spec of a Pod that does not ask for the token of a service account. */
export const podSpec = { automountServiceAccountToken: false, containers: [{ name: "c", image: "nginx" }] };

/**
 * Pods are refused where their namespace has no service account `default`, which a controller makes that does not run
 * here.
 */
export const makeServiceAccount = {
  name: "make the service account",
  method: "POST",
  path: "/api/v1/namespaces/${ns}/serviceaccounts",
  body: { metadata: { name: "default" } },
} as const;

export function pod(name: string, spec: Body = podSpec, metadata: Body = {}): Body {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, ...metadata }, spec };
}

export function deployment(name: string, spec: Body = {}): Body {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "nginx" }] } },
      ...spec,
    },
  };
}
