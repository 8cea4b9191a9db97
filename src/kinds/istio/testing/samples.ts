// SPDX-License-Identifier: Apache-2.0

import { type KindSample, sampleMetadata, secretMarker } from "../../testing/kind-sample.ts";
import { authorizationPolicyKind } from "../authorization-policy-kind.ts";
import { destinationRuleKind } from "../destination-rule-kind.ts";
import { envoyFilterKind } from "../envoy-filter-kind.ts";
import { istioGatewayKind } from "../istio-gateway-kind.ts";
import { peerAuthenticationKind } from "../peer-authentication-kind.ts";
import { requestAuthenticationKind } from "../request-authentication-kind.ts";
import { serviceEntryKind } from "../service-entry-kind.ts";
import { sidecarKind } from "../sidecar-kind.ts";
import { telemetryKind } from "../telemetry-kind.ts";
import { virtualServiceKind } from "../virtual-service-kind.ts";
import { wasmPluginKind } from "../wasm-plugin-kind.ts";

const status = {
  observedGeneration: 1,
  conditions: [{ type: "Reconciled", status: "True", reason: "reconciled", message: "4/4 proxies up to date" }],
};

/** One full object of each of Istio's kinds, by kind. */
export const istioSamples = {
  virtualService: {
    metadata: sampleMetadata("reviews"),
    spec: {
      hosts: ["reviews", "reviews.example"],
      gateways: ["mesh", "istio-system/public"],
      exportTo: [".", "payments"],
      http: [
        {
          name: "split",
          match: [
            {
              uri: { prefix: "/v1" },
              method: { exact: "GET" },
              headers: { "x-tenant": { exact: secretMarker }, authorization: { regex: secretMarker } },
              queryParams: { token: { exact: secretMarker } },
              port: 8080,
            },
          ],
          route: [
            { destination: { host: "reviews", subset: "v1", port: { number: 9080 } }, weight: 90 },
            {
              destination: { host: "reviews", subset: "v2" },
              weight: 10,
              headers: { request: { set: { authorization: secretMarker } } },
            },
          ],
          mirror: { host: "reviews-shadow" },
          timeout: "3s",
          retries: { attempts: 2 },
        },
        { redirect: { uri: secretMarker } },
      ],
      tls: [
        { match: [{ port: 443, sniHosts: ["reviews.example"] }], route: [{ destination: { host: "reviews-tls" } }] },
      ],
      tcp: [{ match: [{ port: 27017 }], route: [{ destination: { host: "mongo" }, weight: 100 }] }],
    },
    status,
  },
  destinationRule: {
    metadata: sampleMetadata("reviews"),
    spec: {
      host: "reviews",
      exportTo: ["."],
      workloadSelector: { matchLabels: { app: "caller" } },
      trafficPolicy: {
        loadBalancer: { simple: "LEAST_REQUEST" },
        connectionPool: {
          tcp: { maxConnections: 100, connectTimeout: "30ms" },
          http: { http1MaxPendingRequests: 10, http2MaxRequests: 1000, maxRequestsPerConnection: 5, maxRetries: 3 },
        },
        outlierDetection: {
          consecutive5xxErrors: 7,
          interval: "5m",
          baseEjectionTime: "15m",
          maxEjectionPercent: 50,
        },
        tls: { mode: "MUTUAL", privateKey: secretMarker },
        portLevelSettings: [{ port: { number: 8080 }, tls: { mode: "DISABLE" } }],
      },
      subsets: [
        { name: "v1", labels: { version: "v1", app: "reviews" } },
        { name: "v2", labels: { version: "v2" }, trafficPolicy: { loadBalancer: { simple: "RANDOM" } } },
      ],
    },
    status,
  },
  gateway: {
    metadata: sampleMetadata("public"),
    spec: {
      selector: { istio: "ingressgateway" },
      servers: [
        {
          port: { number: 443, name: "https", protocol: "HTTPS" },
          hosts: ["shop.example", "istio-system/api.example"],
          tls: { mode: "SIMPLE", credentialName: "shop-cert", privateKey: secretMarker },
        },
        { port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["shop.example"], tls: { httpsRedirect: true } },
      ],
    },
    status,
  },
  serviceEntry: {
    metadata: sampleMetadata("cards"),
    spec: {
      hosts: ["api.cards.example"],
      addresses: ["192.0.2.0/24"],
      ports: [{ number: 443, name: "tls", protocol: "TLS", targetPort: 8443 }],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      exportTo: ["."],
      endpoints: [{ address: "192.0.2.7", locality: "eu/a", weight: 2, labels: { version: "v1" } }],
      workloadSelector: { labels: { app: "cards" } },
    },
    status,
  },
  sidecar: {
    metadata: sampleMetadata("narrow"),
    spec: {
      workloadSelector: { labels: { app: "web" } },
      ingress: [
        {
          port: { number: 9080, protocol: "HTTP", name: "inbound" },
          defaultEndpoint: "127.0.0.1:8080",
          tls: { mode: "SIMPLE", privateKey: secretMarker },
        },
      ],
      egress: [{ port: { number: 3306, protocol: "MYSQL", name: "db" }, hosts: ["./*", "istio-system/*"] }],
      outboundTrafficPolicy: { mode: "REGISTRY_ONLY" },
    },
    status,
  },
  envoyFilter: {
    metadata: sampleMetadata("patches"),
    spec: {
      workloadSelector: { labels: { app: "web" } },
      priority: -10,
      configPatches: [
        {
          applyTo: "HTTP_FILTER",
          match: { context: "SIDECAR_INBOUND", proxy: { metadata: { key: secretMarker } } },
          patch: { operation: "INSERT_BEFORE", value: { name: "lua", typed_config: { inlineCode: secretMarker } } },
        },
        { applyTo: "CLUSTER", patch: { operation: "MERGE", value: secretMarker } },
      ],
    },
    status,
  },
  peerAuthentication: {
    metadata: sampleMetadata("strict"),
    spec: {
      selector: { matchLabels: { app: "web", tier: "front" } },
      mtls: { mode: "STRICT" },
      portLevelMtls: { "8080": { mode: "PERMISSIVE" }, "443": { mode: "DISABLE" } },
    },
    status,
  },
  requestAuthentication: {
    metadata: sampleMetadata("tokens"),
    spec: {
      selector: { matchLabels: { app: "web" } },
      jwtRules: [
        {
          issuer: "https://issuer.example",
          audiences: ["shop", "payments"],
          jwksUri: `https://admin:${secretMarker}@issuer.example/keys?key=${secretMarker}`,
          forwardOriginalToken: true,
        },
        { issuer: "testing@secure.istio.io", jwks: `{"keys":[{"k":"${secretMarker}"}]}` },
      ],
    },
    status,
  },
  authorizationPolicy: {
    metadata: sampleMetadata("gate"),
    spec: {
      targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "waypoint" }],
      action: "CUSTOM",
      provider: { name: "ext-authz" },
      rules: [
        { when: [{ key: "request.headers[authorization]", values: [secretMarker] }] },
        { to: [{ operation: { paths: [`/${secretMarker}`] } }] },
      ],
    },
    status,
  },
  wasmPlugin: {
    metadata: sampleMetadata("auth"),
    spec: {
      selector: { matchLabels: { app: "web" } },
      url: `oci://robot:${secretMarker}@registry.example:5000/wasm/auth:1.0?token=${secretMarker}`,
      sha256: "1ef0c9a92b0420cf25f7fe5d481b231464bc88f486ca3b9c83ed5cc21d2f6210",
      phase: "AUTHN",
      priority: 10,
      pluginName: "auth",
      failStrategy: "FAIL_OPEN",
      imagePullSecret: secretMarker,
      pluginConfig: { key: secretMarker },
      vmConfig: { env: [{ name: "KEY", value: secretMarker }] },
      verificationKey: secretMarker,
    },
    status,
  },
  telemetry: {
    metadata: sampleMetadata("default"),
    spec: {
      selector: { matchLabels: { app: "web" } },
      tracing: [
        { providers: [{ name: "zipkin" }], customTags: { key: { literal: { value: secretMarker } } } },
        { disableSpanReporting: true },
      ],
      metrics: [{ providers: [{ name: "prometheus" }], overrides: [{ tagOverrides: { a: { value: secretMarker } } }] }],
      accessLogging: [{ providers: [{ name: "envoy" }], disabled: false, filter: { expression: secretMarker } }],
    },
    status,
  },
} as const;

/** The samples with the kinds that read them. */
export const istioKindSamples: readonly KindSample[] = [
  { kind: virtualServiceKind, object: istioSamples.virtualService },
  { kind: destinationRuleKind, object: istioSamples.destinationRule },
  { kind: istioGatewayKind, object: istioSamples.gateway },
  { kind: serviceEntryKind, object: istioSamples.serviceEntry },
  { kind: sidecarKind, object: istioSamples.sidecar },
  { kind: envoyFilterKind, object: istioSamples.envoyFilter },
  { kind: peerAuthenticationKind, object: istioSamples.peerAuthentication },
  { kind: requestAuthenticationKind, object: istioSamples.requestAuthentication },
  { kind: authorizationPolicyKind, object: istioSamples.authorizationPolicy },
  { kind: wasmPluginKind, object: istioSamples.wasmPlugin },
  { kind: telemetryKind, object: istioSamples.telemetry },
];
