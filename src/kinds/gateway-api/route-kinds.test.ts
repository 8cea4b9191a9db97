// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { grpcRouteKind, httpRouteKind, tcpRouteKind, tlsRouteKind } from "./route-kinds.ts";
import { gatewayApiSamples } from "./testing/samples.ts";

test("[L18] an HTTPRoute's row has parents, hostnames, weighted backends and matches, without the values of headers", () => {
  const row = rowOf(httpRouteKind, gatewayApiSamples.httpRoute);
  expect(columnsOf(httpRouteKind, row)).toEqual({
    hostnames: ["shop.example"],
    parents: [
      { kind: "Gateway", name: "public", sectionName: "https", accepted: "True", resolvedRefs: "False" },
      { kind: "Gateway", namespace: "infra", name: "private", port: 8443, accepted: "True" },
    ],
    backends: [
      { rule: 0, kind: "Service", name: "web", port: 8080, weight: 90 },
      { rule: 0, kind: "ServiceImport", namespace: "canary", name: "web-canary", port: 8080, weight: 1 },
      { rule: 1, kind: "Service", name: "rest", port: 80, weight: 1 },
    ],
    rules: [
      {
        rule: 0,
        name: "api",
        matches: [
          {
            path: "/api",
            pathType: "PathPrefix",
            method: "GET",
            headers: ["authorization", "x-tenant"],
            queryParams: ["token"],
          },
        ],
      },
      { rule: 1 },
    ],
  });
  expect([row.status, row.reason]).toEqual(["degraded", "ResolvedRefs"]);
});

test("[L18] a GRPCRoute's row has parents, hostnames, weighted backends and methods, without the values of headers", () => {
  const row = rowOf(grpcRouteKind, gatewayApiSamples.grpcRoute);
  expect(columnsOf(grpcRouteKind, row)).toEqual({
    hostnames: ["api.example"],
    parents: [
      { kind: "Gateway", name: "public", sectionName: "https", accepted: "True", resolvedRefs: "False" },
      { kind: "Gateway", namespace: "infra", name: "private", port: 8443, accepted: "True" },
    ],
    backends: [
      { rule: 0, kind: "Service", name: "web", port: 8080, weight: 90 },
      { rule: 0, kind: "ServiceImport", namespace: "canary", name: "web-canary", port: 8080, weight: 1 },
    ],
    rules: [{ rule: 0, matches: [{ service: "shop.v1.Cart", method: "Add", headers: ["x-key"] }] }],
  });
  expect([row.status, row.reason]).toEqual(["degraded", "ResolvedRefs"]);
});

test("a TLSRoute's row has parents, hostnames and weighted backends", () => {
  const row = rowOf(tlsRouteKind, gatewayApiSamples.tlsRoute);
  expect(columnsOf(tlsRouteKind, row)).toEqual({
    hostnames: ["db.example"],
    parents: [
      { kind: "Gateway", name: "public", sectionName: "https", accepted: "True", resolvedRefs: "False" },
      { kind: "Gateway", namespace: "infra", name: "private", port: 8443, accepted: "True" },
    ],
    backends: [
      { rule: 0, kind: "Service", name: "web", port: 8080, weight: 90 },
      { rule: 0, kind: "ServiceImport", namespace: "canary", name: "web-canary", port: 8080, weight: 1 },
    ],
  });
  expect([row.status, row.reason]).toEqual(["degraded", "ResolvedRefs"]);
});

test("a TCPRoute's row has parents and weighted backends", () => {
  const row = rowOf(tcpRouteKind, gatewayApiSamples.tcpRoute);
  expect(columnsOf(tcpRouteKind, row)).toEqual({
    parents: [
      { kind: "Gateway", name: "public", sectionName: "https", accepted: "True", resolvedRefs: "False" },
      { kind: "Gateway", namespace: "infra", name: "private", port: 8443, accepted: "True" },
    ],
    backends: [
      { rule: 0, kind: "Service", name: "web", port: 8080, weight: 90 },
      { rule: 0, kind: "ServiceImport", namespace: "canary", name: "web-canary", port: 8080, weight: 1 },
    ],
  });
  expect([row.status, row.reason]).toEqual(["degraded", "ResolvedRefs"]);
});
