// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { grpcRouteKind as kind } from "./grpc-route-kind.ts";
import { gatewayApiSamples } from "./testing/samples.ts";

test("[L18] a GRPCRoute's row has parents, hostnames, weighted backends and methods, without the values of headers", () => {
  const row = rowOf(kind, gatewayApiSamples.grpcRoute);
  expect(columnsOf(kind, row)).toEqual({
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
