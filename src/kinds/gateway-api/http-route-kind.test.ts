// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { httpRouteKind as kind } from "./http-route-kind.ts";
import { gatewayApiSamples } from "./testing/samples.ts";

test("[L18] an HTTPRoute's row has parents, hostnames, weighted backends and matches, without the values of headers", () => {
  const row = rowOf(kind, gatewayApiSamples.httpRoute);
  expect(columnsOf(kind, row)).toEqual({
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
