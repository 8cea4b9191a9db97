// SPDX-License-Identifier: Apache-2.0
// A small cluster with a mesh: the objects as an API server sends them, and the rows that the agent's kinds make of
// them.
import { endpointSliceKind } from "../../../kinds/endpoint-slice-kind.ts";
import { istioControlPlaneKind } from "../../../kinds/istio/control-plane.ts";
import { istioKinds } from "../../../kinds/istio/istio-kinds.ts";
import type { Kind } from "../../../kinds/kind.ts";
import { podKind } from "../../../kinds/pod-kind.ts";
import { deriveRow, projectRow } from "../../../kinds/project-row.ts";
import { serviceKind } from "../../../kinds/service-kind.ts";
import { resourceIdText } from "../../../model/gvr.ts";
import type { ClusterRow } from "../to-cluster-state.ts";

/** An object as an API server sends it. */
export type PreparedObject = Readonly<Record<string, unknown>>;

/** Metadata of an object in the namespace shop. */
export function metadata(name: string, more: PreparedObject = {}): PreparedObject {
  return {
    name,
    namespace: "shop",
    uid: `u-${name}`,
    resourceVersion: "7",
    generation: 1,
    creationTimestamp: "2026-01-05T10:00:00Z",
    ...more,
  };
}

/** The objects of the cluster by the kind that reads them; the Deployment is an istiod. */
export const preparedObjects: Readonly<Record<string, readonly PreparedObject[]>> = {
  Service: [
    {
      metadata: metadata("web", { labels: { app: "web" } }),
      spec: {
        type: "NodePort",
        clusterIPs: ["10.0.0.9"],
        selector: { app: "web", tier: "front" },
        ports: [
          { name: "http", protocol: "TCP", port: 80, targetPort: "web", nodePort: 30_080 },
          { name: "admin", protocol: "TCP", port: 8081, targetPort: 9090 },
        ],
      },
    },
  ],
  EndpointSlice: [
    {
      metadata: metadata("web-abc", { labels: { "kubernetes.io/service-name": "web" } }),
      addressType: "IPv4",
      ports: [{ name: "http", protocol: "TCP", port: 8080 }],
      endpoints: [
        {
          addresses: ["10.1.0.7"],
          conditions: { ready: true, serving: true, terminating: false },
          targetRef: { kind: "Pod", namespace: "shop", name: "web-1" },
          nodeName: "node-a",
          zone: "eu-1a",
        },
        { addresses: ["10.1.0.8"], conditions: { ready: false } },
      ],
    },
  ],
  Pod: [
    {
      metadata: metadata("web-1", {
        labels: { app: "web" },
        ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u-rs", controller: true }],
      }),
      spec: { nodeName: "node-a", containers: [{ name: "web", image: "shop/web:1", env: [{ value: "secret" }] }] },
      status: {
        phase: "Running",
        qosClass: "Burstable",
        podIP: "10.1.0.7",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [
          {
            name: "web",
            ready: true,
            restartCount: 2,
            state: { running: { startedAt: "2026-01-05T10:00:05Z" } },
            lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } },
          },
        ],
      },
    },
  ],
  VirtualService: [
    {
      metadata: metadata("reviews"),
      spec: {
        hosts: ["reviews"],
        gateways: ["shop/public"],
        http: [
          {
            name: "split",
            match: [{ uri: { prefix: "/v1" }, headers: { "x-tenant": { exact: "secret" } }, port: 8080 }],
            route: [
              { destination: { host: "reviews", subset: "v1", port: { number: 9080 } }, weight: 90 },
              { destination: { host: "reviews", subset: "v2" }, weight: 10 },
            ],
            mirror: { host: "shadow" },
            timeout: "3s",
            retries: { attempts: 2 },
          },
        ],
      },
    },
  ],
  DestinationRule: [
    {
      metadata: metadata("reviews"),
      spec: {
        host: "reviews",
        exportTo: ["."],
        workloadSelector: { matchLabels: { app: "caller" } },
        trafficPolicy: {
          loadBalancer: { simple: "LEAST_REQUEST" },
          connectionPool: { tcp: { maxConnections: 100, connectTimeout: "30ms" }, http: { http2MaxRequests: 1000 } },
          outlierDetection: { consecutive5xxErrors: 7, interval: "5m", maxEjectionPercent: 50 },
          tls: { mode: "ISTIO_MUTUAL" },
          portLevelSettings: [{ port: { number: 8080 }, tls: { mode: "DISABLE" } }],
        },
        subsets: [
          {
            name: "v1",
            labels: { version: "v1", app: "reviews" },
            trafficPolicy: { loadBalancer: { simple: "RANDOM" } },
          },
        ],
      },
    },
  ],
  Gateway: [
    {
      metadata: metadata("public"),
      spec: {
        selector: { istio: "ingressgateway" },
        servers: [
          {
            port: { number: 443, name: "https", protocol: "HTTPS" },
            hosts: ["shop.example"],
            tls: { mode: "SIMPLE", credentialName: "shop-cert", httpsRedirect: false },
          },
        ],
      },
    },
    {
      metadata: metadata("way-out"),
      spec: {
        selector: { istio: "egressgateway" },
        servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["cards.example"] }],
      },
    },
  ],
  ServiceEntry: [
    {
      metadata: metadata("cards"),
      spec: {
        hosts: ["cards.example"],
        addresses: ["192.0.2.0/24"],
        ports: [{ number: 443, name: "tls", protocol: "TLS", targetPort: 8443 }],
        location: "MESH_EXTERNAL",
        resolution: "STATIC",
        exportTo: ["."],
        endpoints: [{ address: "192.0.2.7", locality: "eu/a", weight: 2, labels: { version: "v1" } }],
      },
    },
  ],
  Sidecar: [
    {
      metadata: metadata("narrow"),
      spec: {
        workloadSelector: { labels: { app: "web" } },
        ingress: [{ port: { number: 9080, protocol: "HTTP", name: "in" }, defaultEndpoint: "127.0.0.1:8080" }],
        egress: [{ hosts: ["./*", "istio-system/*"] }],
        outboundTrafficPolicy: { mode: "REGISTRY_ONLY" },
      },
    },
  ],
  EnvoyFilter: [
    {
      metadata: metadata("patches"),
      spec: {
        workloadSelector: { labels: { app: "web" } },
        priority: -10,
        configPatches: [
          {
            applyTo: "HTTP_FILTER",
            match: { context: "SIDECAR_INBOUND" },
            patch: { operation: "INSERT_BEFORE", value: "secret" },
          },
          { applyTo: "CLUSTER", patch: { operation: "MERGE" } },
        ],
      },
    },
    {
      metadata: metadata("attached"),
      spec: { targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "waypoint" }] },
    },
  ],
  PeerAuthentication: [
    {
      metadata: metadata("strict"),
      spec: {
        selector: { matchLabels: { app: "web" } },
        mtls: { mode: "STRICT" },
        portLevelMtls: { "8080": { mode: "PERMISSIVE" } },
      },
    },
    { metadata: metadata("mesh", { namespace: "istio-system" }), spec: { mtls: { mode: "STRICT" } } },
    { metadata: metadata("own"), spec: { mtls: { mode: "PERMISSIVE" } } },
  ],
  RequestAuthentication: [
    {
      metadata: metadata("tokens"),
      spec: {
        selector: { matchLabels: { app: "web" } },
        jwtRules: [
          { issuer: "https://issuer.example", audiences: ["shop"], jwksUri: "https://issuer.example/keys" },
          { issuer: "inline@example", jwks: '{"keys":["secret"]}' },
        ],
      },
    },
  ],
  AuthorizationPolicy: [
    {
      metadata: metadata("gate"),
      spec: {
        targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "waypoint" }],
        rules: [{ when: [{ key: "request.headers[authorization]", values: ["secret"] }] }],
      },
    },
  ],
  WasmPlugin: [
    {
      metadata: metadata("auth"),
      spec: {
        selector: { matchLabels: { app: "web" } },
        url: "oci://registry.example/wasm/auth:1",
        phase: "AUTHN",
        priority: 10,
      },
    },
  ],
  Telemetry: [
    {
      metadata: metadata("default"),
      spec: { tracing: [{ providers: [{ name: "zipkin" }] }], accessLogging: [{ disabled: true }] },
    },
  ],
  Deployment: [
    {
      metadata: metadata("istiod", { namespace: "istio-system", labels: { app: "istiod", "istio.io/rev": "canary" } }),
      spec: {
        replicas: 1,
        template: {
          spec: {
            containers: [
              {
                name: "discovery",
                image: "registry.example/istio/pilot:1.25.4",
                env: [
                  { name: "ROOT_NAMESPACE", value: "istio-system" },
                  { name: "CLUSTER_ID", value: "east" },
                  { name: "PILOT_SCOPE_GATEWAY_TO_NAMESPACE", value: "true" },
                  { name: "PASSWORD", value: "secret" },
                ],
              },
            ],
          },
        },
      },
      status: {
        observedGeneration: 1,
        replicas: 1,
        updatedReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        conditions: [{ type: "Available", status: "True" }],
      },
    },
  ],
};

const observation = { facts: { meshRootNamespaces: new Set(["istio-system"]) }, terminatingForMs: 0 };

/** Every kind of the prepared cluster that reads objects of its own. */
export const preparedKinds: readonly Kind[] = [serviceKind, endpointSliceKind, podKind, ...istioKinds];

/** The row that the kind makes of an object. */
export function rowOf(kind: Kind, object: PreparedObject): ClusterRow {
  return { resource: resourceIdText(kind.resource), row: projectRow(kind, object, observation) };
}

/** The rows of the cluster. */
export function preparedRows(): readonly ClusterRow[] {
  const own = preparedKinds.flatMap((kind) => (preparedObjects[kind.kind] ?? []).map((object) => rowOf(kind, object)));
  const derived = (preparedObjects["Deployment"] ?? []).flatMap((object) => {
    const row = deriveRow(istioControlPlaneKind, object, observation);
    return row === undefined ? [] : [{ resource: resourceIdText(istioControlPlaneKind.resource), row }];
  });
  return [...own, ...derived];
}
