// SPDX-License-Identifier: Apache-2.0
// `additionalPrinterColumns` of the definitions that Flux, Istio, the Gateway API and Argo CD ship: name, path, type and
// priority. Kinds that are not listed have none, or only the age.
import type { JsonObject } from "../../../src/apiserver/json/json.ts";

type CustomColumn = readonly [name: string, jsonPath: string, type?: "string" | "date", priority?: number];

const age: CustomColumn = ["Age", ".metadata.creationTimestamp", "date"];
const ready: readonly CustomColumn[] = [
  ["Ready", '.status.conditions[?(@.type=="Ready")].status'],
  ["Status", '.status.conditions[?(@.type=="Ready")].message'],
];
const url: CustomColumn = ["URL", ".spec.url"];
const hostnames: CustomColumn = ["Hostnames", ".spec.hostnames"];

const columnsByResource: Readonly<Record<string, readonly CustomColumn[]>> = {
  "kustomize.toolkit.fluxcd.io/kustomizations": [age, ...ready],
  "helm.toolkit.fluxcd.io/helmreleases": [age, ...ready],
  "source.toolkit.fluxcd.io/gitrepositories": [url, age, ...ready],
  "source.toolkit.fluxcd.io/helmrepositories": [url, age, ...ready],
  "source.toolkit.fluxcd.io/ocirepositories": [url, ...ready, age],
  "source.toolkit.fluxcd.io/buckets": [["Endpoint", ".spec.endpoint"], age, ...ready],
  "source.toolkit.fluxcd.io/helmcharts": [
    ["Chart", ".spec.chart"],
    ["Version", ".spec.version"],
    ["Source Kind", ".spec.sourceRef.kind"],
    ["Source Name", ".spec.sourceRef.name"],
    age,
    ...ready,
  ],
  "networking.istio.io/virtualservices": [["Gateways", ".spec.gateways"], ["Hosts", ".spec.hosts"], age],
  "networking.istio.io/destinationrules": [["Host", ".spec.host"], age],
  "networking.istio.io/serviceentries": [
    ["Hosts", ".spec.hosts"],
    ["Location", ".spec.location"],
    ["Resolution", ".spec.resolution"],
    age,
  ],
  "security.istio.io/peerauthentications": [["Mode", ".spec.mtls.mode"], age],
  "security.istio.io/authorizationpolicies": [["Action", ".spec.action"], age],
  "gateway.networking.k8s.io/gatewayclasses": [
    ["Controller", ".spec.controllerName"],
    ["Accepted", '.status.conditions[?(@.type=="Accepted")].status'],
    age,
    ["Description", ".spec.description", "string", 1],
  ],
  "gateway.networking.k8s.io/gateways": [
    ["Class", ".spec.gatewayClassName"],
    ["Address", ".status.addresses[*].value"],
    ["Programmed", '.status.conditions[?(@.type=="Programmed")].status'],
    age,
  ],
  "gateway.networking.k8s.io/httproutes": [hostnames, age],
  "gateway.networking.k8s.io/grpcroutes": [hostnames, age],
  "argoproj.io/applications": [
    ["Sync Status", ".status.sync.status"],
    ["Health Status", ".status.health.status"],
    ["Revision", ".status.sync.revision", "string", 10],
    ["Project", ".spec.project", "string", 10],
  ],
};

/** The columns as a definition holds them. */
export function customColumnsOf(resource: string): readonly JsonObject[] {
  return (columnsByResource[resource] ?? []).map(([name, jsonPath, type = "string", priority = 0]) => ({
    name,
    jsonPath,
    type,
    priority,
  }));
}
