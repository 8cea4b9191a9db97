// SPDX-License-Identifier: Apache-2.0

import { type KindSample, sampleMetadata, secretMarker } from "../../testing/kind-sample.ts";
import { gatewayClassKind } from "../gateway-class-kind.ts";
import { gatewayKind } from "../gateway-kind.ts";
import { grpcRouteKind, httpRouteKind, tcpRouteKind, tlsRouteKind } from "../route-kinds.ts";

const condition = (type: string, status = "True") => ({
  type,
  status,
  reason: type,
  message: "m",
  observedGeneration: 1,
});

const parentRefs = [
  { name: "public", sectionName: "https" },
  { name: "private", namespace: "infra", port: 8443 },
];
const answer = (parentRef: unknown, ...conditions: readonly unknown[]) => ({
  parentRef,
  controllerName: "example.com/gateway",
  conditions,
});
const routeStatus = {
  parents: [
    answer(
      { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "shop", name: "public", sectionName: "https" },
      condition("Accepted"),
      condition("ResolvedRefs", "False"),
    ),
    answer({ name: "private", namespace: "infra", port: 8443 }, condition("Accepted")),
  ],
};
const backendRefs = [
  {
    name: "web",
    port: 8080,
    weight: 90,
    filters: [{ requestHeaderModifier: { set: [{ name: "authorization", value: secretMarker }] } }],
  },
  { kind: "ServiceImport", name: "web-canary", namespace: "canary", port: 8080 },
];

/** One full object of each kind of the Gateway API, by kind. */
export const gatewayApiSamples = {
  gatewayClass: {
    metadata: { ...sampleMetadata("example"), namespace: undefined },
    spec: { controllerName: "example.com/gateway", description: "ours", parametersRef: { name: secretMarker } },
    status: { conditions: [condition("Accepted")] },
  },
  gateway: {
    metadata: sampleMetadata("public"),
    spec: {
      gatewayClassName: "example",
      listeners: [
        {
          name: "https",
          hostname: "*.example",
          port: 443,
          protocol: "HTTPS",
          tls: { mode: "Terminate", certificateRefs: [{ name: secretMarker }], options: { key: secretMarker } },
        },
        { name: "http", port: 80, protocol: "HTTP" },
      ],
      addresses: [{ value: secretMarker }],
    },
    status: {
      addresses: [{ type: "IPAddress", value: "192.0.2.1" }],
      conditions: [condition("Accepted"), condition("Programmed")],
      listeners: [
        { name: "https", attachedRoutes: 3, conditions: [condition("Programmed"), condition("Accepted")] },
        { name: "http", attachedRoutes: 0, conditions: [condition("Programmed")] },
      ],
    },
  },
  httpRoute: {
    metadata: sampleMetadata("web"),
    spec: {
      parentRefs,
      hostnames: ["shop.example"],
      rules: [
        {
          name: "api",
          matches: [
            {
              path: { type: "PathPrefix", value: "/api" },
              method: "GET",
              headers: [
                { name: "x-tenant", value: secretMarker },
                { name: "authorization", value: secretMarker },
              ],
              queryParams: [{ name: "token", value: secretMarker }],
            },
          ],
          filters: [{ requestHeaderModifier: { set: [{ name: "authorization", value: secretMarker }] } }],
          backendRefs,
        },
        { backendRefs: [{ name: "rest", port: 80 }] },
      ],
    },
    status: routeStatus,
  },
  grpcRoute: {
    metadata: sampleMetadata("api"),
    spec: {
      parentRefs,
      hostnames: ["api.example"],
      rules: [
        {
          matches: [
            {
              method: { service: "shop.v1.Cart", method: "Add" },
              headers: [{ name: "x-key", value: secretMarker }],
            },
          ],
          backendRefs,
        },
      ],
    },
    status: routeStatus,
  },
  tlsRoute: {
    metadata: sampleMetadata("tls"),
    spec: { parentRefs, hostnames: ["db.example"], rules: [{ backendRefs }] },
    status: routeStatus,
  },
  tcpRoute: {
    metadata: sampleMetadata("tcp"),
    spec: { parentRefs, rules: [{ backendRefs }] },
    status: routeStatus,
  },
} as const;

/** The samples with the kinds that read them. */
export const gatewayApiKindSamples: readonly KindSample[] = [
  { kind: gatewayClassKind, object: gatewayApiSamples.gatewayClass },
  { kind: gatewayKind, object: gatewayApiSamples.gateway },
  { kind: httpRouteKind, object: gatewayApiSamples.httpRoute },
  { kind: grpcRouteKind, object: gatewayApiSamples.grpcRoute },
  { kind: tlsRouteKind, object: gatewayApiSamples.tlsRoute },
  { kind: tcpRouteKind, object: gatewayApiSamples.tcpRoute },
];
