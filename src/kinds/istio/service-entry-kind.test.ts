// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { serviceEntryKind as kind } from "./service-entry-kind.ts";
import { istioSamples } from "./testing/samples.ts";

test("[N-15] a ServiceEntry's row has hosts, addresses, ports, location, resolution and exportTo", () => {
  expect(columnsOf(kind, rowOf(kind, istioSamples.serviceEntry))).toEqual({
    hosts: ["api.cards.example"],
    addresses: ["192.0.2.0/24"],
    ports: [{ number: 443, name: "tls", protocol: "TLS", targetPort: 8443 }],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    exportTo: ["."],
    endpoints: [{ address: "192.0.2.7", locality: "eu/a", weight: 2, labels: ["version=v1"] }],
    selector: ["app=cards"],
  });
});

test("[N-15] what it leaves out is Istio's default, and marked", () => {
  const row = rowOf(kind, { metadata: sampleMetadata("e"), spec: { hosts: ["a.example"] } });
  expect(columnsOf(kind, row)).toEqual({
    hosts: ["a.example"],
    location: "MESH_EXTERNAL",
    resolution: "NONE",
    exportTo: ["*"],
    defaulted: ["location", "resolution", "exportTo"],
  });
});
