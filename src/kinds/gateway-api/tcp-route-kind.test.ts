// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { tcpRouteKind as kind } from "./tcp-route-kind.ts";
import { gatewayApiSamples } from "./testing/samples.ts";

test("a TCPRoute's row has parents and weighted backends", () => {
  const row = rowOf(kind, gatewayApiSamples.tcpRoute);
  expect(columnsOf(kind, row)).toEqual({
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
