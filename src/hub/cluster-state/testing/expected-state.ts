// SPDX-License-Identifier: Apache-2.0
// What the prepared cluster's ClusterState is in JSON, list by list, in the order in which its objects are prepared.
import type { JsonObject } from "@bufbuild/protobuf";

/** The fields with which an object of the prepared cluster begins. */
function head(name: string, more: JsonObject = {}): JsonObject {
  const object = {
    uid: `u-${name}`,
    resourceVersion: "7",
    generation: "1",
    createdAt: "2026-01-05T10:00:00Z",
    status: "healthy",
  };
  return { name, namespace: "shop", object, ...more };
}

/** The lists by their names in the message. */
export const expectedLists: Readonly<Record<string, readonly JsonObject[]>> = {
  services: [
    {
      ...head("web", { labels: { app: "web" } }),
      type: "NodePort",
      selector: { app: "web", tier: "front" },
      ports: [
        { name: "http", protocol: "TCP", port: 80, targetPortName: "web", nodePort: 30080 },
        { name: "admin", protocol: "TCP", port: 8081, targetPort: 9090 },
      ],
      clusterIps: ["10.0.0.9"],
    },
  ],
  endpointSlices: [
    {
      ...head("web-abc", { labels: { "kubernetes.io/service-name": "web" } }),
      service: "web",
      addressType: "IPv4",
      ports: [{ name: "http", protocol: "TCP", port: 8080 }],
      endpoints: [
        {
          addresses: ["10.1.0.7"],
          ready: true,
          serving: true,
          terminating: false,
          targetKind: "Pod",
          targetName: "web-1",
          node: "node-a",
          zone: "eu-1a",
        },
        { addresses: ["10.1.0.8"] },
      ],
      readyCount: 1,
      endpointCount: 2,
    },
  ],
  pods: [
    {
      ...head("web-1", {
        labels: { app: "web" },
        object: {
          uid: "u-web-1",
          resourceVersion: "7",
          generation: "1",
          createdAt: "2026-01-05T10:00:00Z",
          status: "healthy",
          owner: { group: "apps", kind: "ReplicaSet", name: "web", uid: "u-rs" },
        },
      }),
      phase: "Running",
      ready: "1/1",
      restarts: 2,
      node: "node-a",
      podIps: ["10.1.0.7"],
      qos: "Burstable",
      containers: [
        {
          name: "web",
          image: "shop/web:1",
          ready: true,
          restarts: 2,
          state: "running",
          lastReason: "OOMKilled",
          lastExitCode: 137,
        },
      ],
    },
  ],
  virtualServices: [
    {
      ...head("reviews"),
      hosts: ["reviews"],
      gateways: ["shop/public"],
      exportTo: ["*"],
      destinations: [
        { route: "http/0", host: "reviews", subset: "v1", port: 9080, weight: 90 },
        { route: "http/0", host: "reviews", subset: "v2", weight: 10 },
        { route: "http/0", host: "shadow", isMirror: true },
      ],
      routes: [
        {
          route: "http/0",
          name: "split",
          matches: [{ uri: "prefix /v1", headers: ["x-tenant"], port: 8080 }],
          timeout: "3s",
          attempts: 2,
        },
      ],
      defaulted: ["exportTo"],
    },
  ],
  destinationRules: [
    {
      ...head("reviews"),
      host: "reviews",
      subsets: [{ name: "v1", labels: { app: "reviews", version: "v1" }, overrides: ["loadBalancer"] }],
      loadBalancer: "LEAST_REQUEST",
      connectionPool: { maxConnections: 100, connectTimeout: "30ms", http2MaxRequests: 1000 },
      outlierDetection: { consecutive5xxErrors: 7, interval: "5m", maxEjectionPercent: 50 },
      tlsMode: "ISTIO_MUTUAL",
      portPolicies: [{ port: 8080, overrides: ["tls"] }],
      exportTo: ["."],
      workloadSelector: { app: "caller" },
    },
  ],
  gateways: [
    {
      ...head("public"),
      direction: "ingress",
      selector: { istio: "ingressgateway" },
      servers: [
        {
          port: 443,
          portName: "https",
          protocol: "HTTPS",
          hosts: ["shop.example"],
          tlsMode: "SIMPLE",
          credentialName: "shop-cert",
          httpsRedirect: false,
        },
      ],
      hosts: ["shop.example"],
    },
    {
      ...head("way-out"),
      direction: "egress",
      selector: { istio: "egressgateway" },
      servers: [{ port: 80, portName: "http", protocol: "HTTP", hosts: ["cards.example"] }],
      hosts: ["cards.example"],
    },
  ],
  serviceEntries: [
    {
      ...head("cards"),
      hosts: ["cards.example"],
      addresses: ["192.0.2.0/24"],
      ports: [{ number: 443, name: "tls", protocol: "TLS", targetPort: 8443 }],
      location: "MESH_EXTERNAL",
      resolution: "STATIC",
      exportTo: ["."],
      endpoints: [{ address: "192.0.2.7", locality: "eu/a", weight: 2, labels: { version: "v1" } }],
    },
  ],
  sidecars: [
    {
      ...head("narrow"),
      scope: "workload",
      workloadSelector: { app: "web" },
      ingress: [{ port: 9080, portName: "in", protocol: "HTTP", defaultEndpoint: "127.0.0.1:8080" }],
      egress: [{ hosts: ["./*", "istio-system/*"] }],
      egressHosts: ["./*", "istio-system/*"],
      outboundMode: "REGISTRY_ONLY",
    },
  ],
  envoyFilters: [
    {
      ...head("patches"),
      scope: "workload",
      workloadSelector: { app: "web" },
      patches: [
        { applyTo: "HTTP_FILTER", operation: "INSERT_BEFORE", context: "SIDECAR_INBOUND" },
        { applyTo: "CLUSTER", operation: "MERGE" },
      ],
      priority: -10,
    },
    {
      ...head("attached"),
      scope: "workload",
      targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "waypoint" }],
    },
  ],
  peerAuthentications: [
    {
      ...head("strict"),
      scope: "workload",
      selector: { app: "web" },
      mode: "STRICT",
      portModes: [{ port: 8080, mode: "PERMISSIVE" }],
    },
    { ...head("mesh", { namespace: "istio-system" }), scope: "mesh", mode: "STRICT" },
    { ...head("own"), scope: "namespace", mode: "PERMISSIVE" },
  ],
  requestAuthentications: [
    {
      ...head("tokens"),
      scope: "workload",
      selector: { app: "web" },
      jwtRules: [
        { issuer: "https://issuer.example", audiences: ["shop"], jwksUri: "https://issuer.example/keys" },
        { issuer: "inline@example", hasInlineKeys: true },
      ],
    },
  ],
  authorizationPolicies: [
    {
      ...head("gate"),
      scope: "workload",
      targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "waypoint" }],
      action: "ALLOW",
      ruleCount: 1,
      defaulted: ["action"],
    },
  ],
  wasmPlugins: [
    {
      ...head("auth"),
      scope: "workload",
      selector: { app: "web" },
      url: "oci://registry.example/wasm/auth:1",
      phase: "AUTHN",
      priority: 10,
    },
  ],
  telemetries: [
    {
      ...head("default"),
      scope: "namespace",
      signals: [
        { signal: "tracing", providers: ["zipkin"] },
        { signal: "accessLogging", disabled: true },
      ],
    },
  ],
  istioControlPlaneConfigs: [
    {
      ...head("istiod", { namespace: "istio-system", labels: { app: "istiod", "istio.io/rev": "canary" } }),
      revision: "canary",
      version: "1.25.4",
      rootNamespace: "istio-system",
      clusterId: "east",
      pilotScopeGatewayToNamespace: true,
    },
  ],
};
