// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rootNamespaces, rowOf } from "../testing/sample-rows.ts";
import { sidecarKind as kind } from "./sidecar-kind.ts";
import { istioSamples } from "./testing/samples.ts";

test("[N-16] a Sidecar's row has its selector, ingress listeners and egress hosts", () => {
  expect(columnsOf(kind, rowOf(kind, istioSamples.sidecar))).toEqual({
    scope: "workload",
    selector: ["app=web"],
    ingress: [
      { port: 9080, portName: "inbound", protocol: "HTTP", defaultEndpoint: "127.0.0.1:8080", tlsMode: "SIMPLE" },
    ],
    egressHosts: ["./*", "istio-system/*"],
    egress: [{ port: 3306, portName: "db", protocol: "MYSQL", hosts: ["./*", "istio-system/*"] }],
    outboundMode: "REGISTRY_ONLY",
  });
});

test("[N-16] egress hosts of several listeners are told once each, in their order", () => {
  const spec = { egress: [{ hosts: ["./*", "b/*"] }, { hosts: ["b/*", "a/*"] }] };
  const row = rowOf(kind, { metadata: sampleMetadata("default"), spec }, rootNamespaces("istio-system"));
  expect([row.columns.get("egressHosts"), row.columns.get("scope")]).toEqual([["./*", "b/*", "a/*"], "namespace"]);
});
