// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { istioGatewayKind as kind } from "./istio-gateway-kind.ts";
import { istioSamples } from "./testing/samples.ts";

test("[N-14] an ingress Gateway's row has selector and servers with port, protocol, hosts and TLS mode", () => {
  expect(columnsOf(kind, rowOf(kind, istioSamples.gateway))).toEqual({
    direction: "ingress",
    selector: ["istio=ingressgateway"],
    hosts: ["shop.example", "istio-system/api.example"],
    servers: [
      {
        port: 443,
        portName: "https",
        protocol: "HTTPS",
        hosts: ["shop.example", "istio-system/api.example"],
        tlsMode: "SIMPLE",
        credentialName: "shop-cert",
      },
      { port: 80, portName: "http", protocol: "HTTP", hosts: ["shop.example"], httpsRedirect: true },
    ],
  });
});

test("[N-14] an egress Gateway's row says so", () => {
  const spec = {
    selector: { istio: "egressgateway" },
    servers: [
      { port: { number: 443, name: "tls", protocol: "TLS" }, hosts: ["*.example"], tls: { mode: "PASSTHROUGH" } },
    ],
  };
  expect(columnsOf(kind, rowOf(kind, { metadata: sampleMetadata("out"), spec }))).toEqual({
    direction: "egress",
    selector: ["istio=egressgateway"],
    hosts: ["*.example"],
    servers: [{ port: 443, portName: "tls", protocol: "TLS", hosts: ["*.example"], tlsMode: "PASSTHROUGH" }],
  });
});

test("[N-14] a Gateway whose proxies carry other labels has no direction", () => {
  const row = rowOf(kind, { metadata: sampleMetadata("own"), spec: { selector: { app: "edge" } } });
  expect(row.columns.has("direction")).toBe(false);
});
