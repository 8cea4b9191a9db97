// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { ingressKind } from "./ingress-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";

const metadata = { name: "web", namespace: "shop" };
const backend = { service: { name: "web", port: { number: 80 } } };

describe("an Ingress's row", () => {
  test("[KI8] has class, hosts as a set, paths in their order with their Service, TLS hosts and addresses", () => {
    const row = rowOf(ingressKind, {
      metadata,
      spec: {
        ingressClassName: "nginx",
        defaultBackend: { service: { name: "fallback", port: { name: "http" } } },
        rules: [
          {
            host: "shop.example",
            http: {
              paths: [
                { path: "/z", pathType: "Prefix", backend },
                { path: "/a", pathType: "Exact", backend: { resource: { kind: "Bucket", name: "assets" } } },
              ],
            },
          },
          { host: "api.example", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } },
          { host: "shop.example" },
        ],
        tls: [{ hosts: ["shop.example", "api.example"], secretName: "tls" }, { hosts: ["shop.example"] }],
      },
      status: { loadBalancer: { ingress: [{ ip: "192.0.2.4" }, { hostname: "lb.example" }] } },
    });
    expect(Object.fromEntries(row.columns)).toEqual({
      class: "nginx",
      hosts: ["api.example", "shop.example"],
      ruleHosts: ["shop.example", "api.example", "shop.example"],
      addresses: ["192.0.2.4", "lb.example"],
      paths: [
        '{"host":"shop.example","path":"/z","pathType":"Prefix","service":"web","port":80}',
        '{"host":"shop.example","path":"/a","pathType":"Exact","resourceKind":"Bucket","resourceName":"assets"}',
        '{"host":"api.example","path":"/","pathType":"Prefix","service":"web","port":80}',
      ],
      defaultBackend: ['{"service":"fallback","port":"http"}'],
      tls: true,
      tlsHosts: ["api.example", "shop.example"],
    });
  });

  test("[KI31] has the hosts of its rules apart only where they are not the set of hosts", () => {
    const hosts = (...rules: readonly object[]): unknown =>
      rowOf(ingressKind, { metadata, spec: { rules } }).columns.get("ruleHosts");
    expect(hosts({ host: "a.example" }, { host: "b.example" })).toBeUndefined();
    expect(hosts({}, {})).toBeUndefined();
    expect(hosts({}, { host: "a.example" })).toEqual(["", "a.example"]);
  });

  test("has the class of the annotation that came before the field", () => {
    const annotations = { "kubernetes.io/ingress.class": "traefik" };
    const row = rowOf(ingressKind, { metadata: { ...metadata, annotations } });
    expect([row.columns.get("class"), row.columns.get("classAnnotation")]).toEqual(["traefik", true]);
    expect(row.annotations.size).toBe(0);
  });

  test("[KI11] is healthy without an address", () => {
    expect(rowOf(ingressKind, { metadata }).status).toBe("healthy");
  });
});
