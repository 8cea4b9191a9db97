// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rowOf, sealed } from "../testing/sample-rows.ts";
import { istioSamples } from "./testing/samples.ts";
import { virtualServiceKind as kind } from "./virtual-service-kind.ts";

test("[N-12] a VirtualService's row has hosts, gateways, exportTo and destinations with their weights, route by route", () => {
  expect(columnsOf(kind, rowOf(kind, istioSamples.virtualService))).toEqual({
    hosts: ["reviews", "reviews.example"],
    gateways: ["mesh", "istio-system/public"],
    exportTo: [".", "payments"],
    destinations: [
      { route: "http/0", host: "reviews", subset: "v1", port: 9080, weight: 90 },
      { route: "http/0", host: "reviews", subset: "v2", weight: 10 },
      { route: "http/0", host: "reviews-shadow", isMirror: true },
      { route: "tls/0", host: "reviews-tls" },
      { route: "tcp/0", host: "mongo", weight: 100 },
    ],
    routes: [
      {
        route: "http/0",
        name: "split",
        matches: [
          {
            uri: "prefix /v1",
            method: "exact GET",
            headers: ["authorization", "x-tenant"],
            queryParams: ["token"],
            port: 8080,
          },
        ],
        timeout: "3s",
        attempts: 2,
      },
      { route: "http/1", action: "redirect" },
      { route: "tls/0", matches: [{ sniHosts: ["reviews.example"], port: 443 }] },
      { route: "tcp/0", matches: [{ port: 27017 }] },
    ],
  });
});

test("[N-12] what a VirtualService leaves to Istio is told as Istio has it, and marked", () => {
  const row = rowOf(kind, { metadata: sampleMetadata("bare"), spec: { hosts: ["a"], exportTo: [] } });
  expect(columnsOf(kind, row)).toEqual({
    hosts: ["a"],
    gateways: ["mesh"],
    exportTo: ["*"],
    defaulted: ["gateways", "exportTo"],
  });
});

test("[KI7] a destination's fields stand in one order, absent ones left out", () => {
  const row = rowOf(kind, istioSamples.virtualService);
  expect(row.columns.get("destinations")).toContain(
    '{"route":"http/0","host":"reviews","subset":"v1","port":9080,"weight":90}',
  );
});

test("several mirrors are told like a single one", () => {
  const spec = { http: [{ mirrors: [{ destination: { host: "a" } }, { destination: { host: "b" }, percentage: 1 }] }] };
  expect(columnsOf(kind, rowOf(kind, { metadata: sampleMetadata("m"), spec }))["destinations"]).toEqual([
    { route: "http/0", host: "a", isMirror: true },
    { route: "http/0", host: "b", isMirror: true },
  ]);
});

test("[KI6] of a VirtualService that is too long for a row, destinations are kept before matches", () => {
  const http = Array.from({ length: 2000 }, (_, index) => ({
    match: [{ uri: { exact: `/${"long-path-".repeat(5)}${index}` } }],
    route: [{ destination: { host: `service-${index}` } }],
  }));
  const hosts = Array.from({ length: 2000 }, (_, index) => `host-${index}.example`);
  const row = rowOf(kind, { metadata: sampleMetadata("big"), spec: { hosts, http } });
  expect(row.columns.get("cut")).toEqual(expect.arrayContaining(["hosts", "destinations", "routes"]));
  const bytesOf = (name: string): number => JSON.stringify(row.columns.get(name)).length;
  expect(bytesOf("destinations")).toBeGreaterThan(2 * bytesOf("routes"));
  expect(columnsOf(kind, row)["destinations"]).toEqual(
    expect.arrayContaining([{ route: "http/0", host: "service-0" }]),
  );
  expect(sealed(kind, row).name).toBe("big");
});
