// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { endpointSliceKind } from "./endpoint-slice-kind.ts";
import { rowOf, sealedRowOf } from "./testing/sample-rows.ts";

function slice(endpoints: readonly unknown[], more: object = {}): object {
  const labels = { "kubernetes.io/service-name": "web" };
  const metadata = { name: "web-abc", namespace: "shop", labels };
  return { metadata, addressType: "IPv4", ports: [{ name: "http", port: 8080 }], endpoints, ...more };
}

function endpoint(name: string, conditions: object, more: object = {}): object {
  const targetRef = { kind: "Pod", namespace: "shop", name };
  return { addresses: ["10.1.0.7"], conditions, targetRef, nodeName: "node-a", zone: "eu-1a", ...more };
}

describe("an EndpointSlice's row", () => {
  test("[N-10] has every endpoint's addresses and readiness, those not ready included, and the ports", () => {
    const ready = endpoint("web-1", { ready: true, serving: true, terminating: false });
    const leaving = endpoint("web-2", { ready: false, serving: true, terminating: true }, { addresses: ["10.1.0.8"] });
    const row = rowOf(endpointSliceKind, slice([ready, leaving]));
    expect(Object.fromEntries(row.columns)).toEqual({
      service: "web",
      addressType: "IPv4",
      readyCount: 1,
      endpointCount: 2,
      ports: ['{"name":"http","protocol":"TCP","port":8080}'],
      endpoints: [
        '{"addresses":["10.1.0.7"],"ready":true,"serving":true,"terminating":false,"targetKind":"Pod","targetName":"web-1","node":"node-a","zone":"eu-1a"}',
        '{"addresses":["10.1.0.8"],"ready":false,"serving":true,"terminating":true,"targetKind":"Pod","targetName":"web-2","node":"node-a","zone":"eu-1a"}',
      ],
    });
    expect(row.status).toBe("healthy");
  });

  test("counts an endpoint that says nothing as ready, as Kubernetes does", () => {
    const row = rowOf(endpointSliceKind, slice([{ addresses: ["192.0.2.1"] }, { conditions: { ready: null } }]));
    expect(row.columns.get("readyCount")).toBe(2);
    expect(row.columns.get("endpoints")).toEqual([
      '{"addresses":["192.0.2.1"],"ready":true}',
      '{"addresses":[],"ready":true}',
    ]);
  });

  test("names the namespace of a target elsewhere", () => {
    const elsewhere = { targetRef: { kind: "Pod", namespace: "other", name: "x" } };
    const [text] = rowOf(endpointSliceKind, slice([endpoint("x", {}, elsewhere)])).columns.get("endpoints") as string[];
    expect(JSON.parse(text ?? "")).toMatchObject({ targetNamespace: "other", targetName: "x" });
  });

  test("[KI13] of v1beta1 is read as well", () => {
    const topology = { "kubernetes.io/hostname": "node-b", "topology.kubernetes.io/zone": "eu-1b" };
    const [text] = rowOf(endpointSliceKind, slice([{ topology }])).columns.get("endpoints") as string[];
    expect(JSON.parse(text ?? "")).toMatchObject({ node: "node-b", zone: "eu-1b" });
  });

  test("[KI6] holds the 100 endpoints that Kubernetes puts into one, with long names", () => {
    const node = "ip-10-0-112-134.eu-central-1.compute.internal";
    const conditions = { ready: true, serving: true, terminating: false };
    const all = Array.from({ length: 100 }, (_, at) =>
      endpoint(`a-rather-long-deployment-name-for-a-service-5d4f8c7b9d-${at}`, conditions, { nodeName: node }),
    );
    const row = sealedRowOf(endpointSliceKind, slice(all));
    expect([row.columns.get("cut"), row.columns.get("endpoints")]).toEqual([
      undefined,
      expect.objectContaining({ length: 100 }),
    ]);
  });
});
