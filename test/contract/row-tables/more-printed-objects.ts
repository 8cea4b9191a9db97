// SPDX-License-Identifier: Apache-2.0
// Objects in states that neither the full samples nor the record of a real kube-apiserver have.
import { applicationKind } from "../../../src/kinds/argo/application-kind.ts";
import { eventKind } from "../../../src/kinds/event-kind.ts";
import { helmReleaseKind } from "../../../src/kinds/flux/helm-release-kind.ts";
import { kustomizationKind } from "../../../src/kinds/flux/kustomization-kind.ts";
import {
  bucketKind,
  gitRepositoryKind,
  helmChartKind,
  helmRepositoryKind,
  ociRepositoryKind,
} from "../../../src/kinds/flux/source-kinds.ts";
import { gatewayClassKind } from "../../../src/kinds/gateway-api/gateway-class-kind.ts";
import { gatewayKind } from "../../../src/kinds/gateway-api/gateway-kind.ts";
import { grpcRouteKind, httpRouteKind } from "../../../src/kinds/gateway-api/route-kinds.ts";
import { authorizationPolicyKind } from "../../../src/kinds/istio/authorization-policy-kind.ts";
import { destinationRuleKind } from "../../../src/kinds/istio/destination-rule-kind.ts";
import { peerAuthenticationKind } from "../../../src/kinds/istio/peer-authentication-kind.ts";
import { serviceEntryKind } from "../../../src/kinds/istio/service-entry-kind.ts";
import { virtualServiceKind } from "../../../src/kinds/istio/virtual-service-kind.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import { replicaSetKind } from "../../../src/kinds/replica-set-kind.ts";

interface PrintedObject {
  readonly kind: Kind;
  readonly object: object;
}

const metadata = { name: "web", namespace: "shop", generation: 2, creationTimestamp: "2026-01-05T10:00:00Z" };
const going = { ...metadata, name: "going", deletionTimestamp: "2026-01-09T12:00:00Z", finalizers: ["x"] };

const condition = (type: string, status: string, message = ""): object => ({ type, status, reason: type, message });

const ready = { observedGeneration: 2, conditions: [condition("Ready", "True", "applied main@sha1:abc")] };
const retrying = {
  observedGeneration: 1,
  conditions: [condition("Reconciling", "True", "again"), condition("Ready", "Unknown", "reconciliation in progress")],
};
const long = { conditions: [condition("Ready", "False", "é".repeat(2_000))] };

/** Each state of a Flux object that its status does not show as it is. */
function fluxObjects(kind: Kind, spec: object): readonly PrintedObject[] {
  const plain = { ...spec, suspend: false };
  return [
    { kind, object: { metadata, spec: plain, status: ready } },
    { kind, object: { metadata: going, spec: plain, status: ready } },
    { kind, object: { metadata, spec: { ...spec, suspend: true }, status: ready } },
    { kind, object: { metadata, spec: plain, status: retrying } },
    { kind, object: { metadata, spec: plain, status: long } },
    { kind, object: { metadata, spec: plain } },
    { kind, object: { metadata: { name: "bare" } } },
  ];
}

const several = {
  matchLabels: { app: "web" },
  matchExpressions: [
    { key: "tier", operator: "NotIn", values: ["back"] },
    { key: "tier", operator: "Exists" },
    { key: "app", operator: "In", values: ["web"] },
  ],
};

export const morePrintedObjects: readonly PrintedObject[] = [
  ...fluxObjects(kustomizationKind, { path: "./eu" }),
  ...fluxObjects(helmReleaseKind, {}),
  ...fluxObjects(gitRepositoryKind, { url: "https://git.example/fleet" }),
  ...fluxObjects(helmRepositoryKind, { url: "oci://registry.example/charts", type: "oci" }),
  ...fluxObjects(ociRepositoryKind, { url: "oci://registry.example/manifests" }),
  ...fluxObjects(bucketKind, { endpoint: "s3.example:9000" }),
  ...fluxObjects(helmChartKind, { chart: "web", version: "*", sourceRef: { kind: "GitRepository", name: "fleet" } }),
  { kind: virtualServiceKind, object: { metadata, spec: { hosts: ["a<b>&c", "b"] } } },
  { kind: virtualServiceKind, object: { metadata, spec: { hosts: ["*"], gateways: ["ingress/public", "mesh"] } } },
  { kind: destinationRuleKind, object: { metadata, spec: {} } },
  { kind: serviceEntryKind, object: { metadata, spec: { hosts: ["api.example"] } } },
  { kind: peerAuthenticationKind, object: { metadata, spec: {} } },
  { kind: authorizationPolicyKind, object: { metadata, spec: {} } },
  { kind: authorizationPolicyKind, object: { metadata, spec: { action: "DENY" } } },
  { kind: gatewayClassKind, object: { metadata: { name: "bare" }, spec: { controllerName: "example.com/gateway" } } },
  {
    kind: gatewayKind,
    object: {
      metadata,
      spec: { gatewayClassName: "example" },
      status: {
        addresses: [{ value: "192.0.2.1" }, { value: "lb.example" }],
        conditions: [condition("Accepted", "True"), condition("Programmed", "False")],
      },
    },
  },
  { kind: gatewayKind, object: { metadata, spec: { gatewayClassName: "example" } } },
  { kind: httpRouteKind, object: { metadata, spec: {} } },
  { kind: grpcRouteKind, object: { metadata, spec: { hostnames: ["grpc.example"] } } },
  {
    kind: applicationKind,
    object: { metadata, spec: { project: "default" }, status: { sync: { status: "Synced", revisions: ["a", "b"] } } },
  },
  {
    kind: applicationKind,
    object: {
      metadata,
      spec: {},
      status: { sync: { status: "OutOfSync", revision: "abc" }, health: { status: "Missing" } },
    },
  },
  { kind: applicationKind, object: { metadata } },
  { kind: replicaSetKind, object: { metadata, spec: { replicas: 1, selector: several } } },
  {
    kind: eventKind,
    object: {
      metadata,
      involvedObject: { kind: "Pod", name: "web-1" },
      type: "Warning",
      reason: "Failed",
      message: 'exec: "server --password=hunter2": not found',
      source: { component: "kubelet" },
      firstTimestamp: "2026-01-09T12:00:00Z",
    },
  },
];
