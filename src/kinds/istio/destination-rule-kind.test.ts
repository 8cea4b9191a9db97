// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { destinationRuleKind as kind } from "./destination-rule-kind.ts";
import { istioSamples } from "./testing/samples.ts";

test("[N-13] a DestinationRule's row has host, subsets, load balancing, connection pool limits and outlier detection", () => {
  expect(columnsOf(kind, rowOf(kind, istioSamples.destinationRule))).toEqual({
    host: "reviews",
    subsets: [
      { name: "v1", labels: ["app=reviews", "version=v1"] },
      { name: "v2", labels: ["version=v2"], overrides: ["loadBalancer"] },
    ],
    loadBalancer: "LEAST_REQUEST",
    connectionPool: [
      {
        maxConnections: 100,
        connectTimeout: "30ms",
        http1MaxPendingRequests: 10,
        http2MaxRequests: 1000,
        maxRequestsPerConnection: 5,
        maxRetries: 3,
      },
    ],
    outlierDetection: [{ consecutive5xxErrors: 7, interval: "5m", baseEjectionTime: "15m", maxEjectionPercent: 50 }],
    tlsMode: "MUTUAL",
    portPolicies: [{ port: 8080, overrides: ["tls"] }],
    exportTo: ["."],
    selector: ["app=caller"],
  });
});

test.each([
  [{ simple: "ROUND_ROBIN" }, "ROUND_ROBIN"],
  [{ consistentHash: { httpHeaderName: "x-user" } }, "CONSISTENT_HASH header x-user"],
  [{ consistentHash: { httpCookie: { name: "user", ttl: "0s" } } }, "CONSISTENT_HASH cookie user"],
  [{ consistentHash: { httpQueryParameterName: "u" } }, "CONSISTENT_HASH parameter u"],
  [{ consistentHash: { useSourceIp: true } }, "CONSISTENT_HASH source"],
  [{ consistentHash: { ringHash: {} } }, "CONSISTENT_HASH"],
  [{}, undefined],
])("[N-13] load balancing by %j reads %j", (loadBalancer, expected) => {
  const row = rowOf(kind, { metadata: sampleMetadata("r"), spec: { trafficPolicy: { loadBalancer } } });
  expect(row.columns.get("loadBalancer")).toBe(expected);
});
