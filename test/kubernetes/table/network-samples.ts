// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { coreIn, namespaced, type Sample, selector } from "./sample.ts";

function service(name: string, spec: JsonObject, status?: JsonObject): Sample {
  const object = { metadata: { name }, spec };
  return { collection: coreIn("services"), object, ...(status === undefined ? {} : { status }) };
}

function ingress(name: string, spec: JsonObject, status?: JsonObject): Sample {
  const object = { metadata: { name }, spec };
  return {
    collection: namespaced("networking.k8s.io/v1", "ingresses"),
    object,
    ...(status === undefined ? {} : { status }),
  };
}

const http = { port: 80 };
const backend = { service: { name: "web", port: { number: 80 } } };
const rule = (host?: string): JsonObject => ({
  ...(host === undefined ? {} : { host }),
  http: { paths: [{ path: "/", pathType: "Prefix", backend }] },
});
const addresses = (...ips: readonly string[]): JsonObject => ({ addresses: ips.map((ip) => ({ ip })) });
const ingressClasses = "/apis/networking.k8s.io/v1/ingressclasses";
const slices = namespaced("discovery.k8s.io/v1", "endpointslices");

export const networkSamples: readonly Sample[] = [
  service("plain", { ports: [http], selector: { tier: "front", app: "web" } }),
  service("headless", { clusterIP: "None", selector: { app: "web" } }),
  service("two-ports", {
    ports: [
      { name: "a", ...http },
      { name: "b", port: 53, protocol: "UDP" },
    ],
    externalIPs: ["192.0.2.9", "192.0.2.1"],
  }),
  service("node-port", { type: "NodePort", ports: [{ ...http, nodePort: 30_123 }] }),
  service("pending", { type: "LoadBalancer", ports: [{ ...http, nodePort: 30_124 }] }),
  service(
    "balanced",
    { type: "LoadBalancer", ports: [{ ...http, nodePort: 30_125 }], externalIPs: ["192.0.2.3"] },
    {
      loadBalancer: {
        ingress: [
          { ip: "203.0.113.20" },
          { hostname: "lb.example.com" },
          { ip: "203.0.113.10" },
          { ip: "203.0.113.20" },
        ],
      },
    },
  ),
  service("named", { type: "ExternalName", externalName: "outside.example.com" }),
  { collection: coreIn("endpoints"), object: { metadata: { name: "empty" } } },
  {
    collection: coreIn("endpoints"),
    object: { metadata: { name: "two" }, subsets: [{ ...addresses("10.0.0.1", "10.0.0.2"), ports: [http] }] },
  },
  {
    collection: coreIn("endpoints"),
    object: {
      metadata: { name: "many" },
      subsets: [
        {
          ...addresses("10.0.0.1", "10.0.0.2"),
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 443 },
          ],
        },
        { ...addresses("fd00::1"), ports: [{ port: 8080 }] },
      ],
    },
  },
  {
    collection: coreIn("endpoints"),
    object: { metadata: { name: "no-ports" }, subsets: [addresses("fd00::1", "10.0.0.4")] },
  },
  {
    collection: coreIn("endpoints"),
    object: { metadata: { name: "v6" }, subsets: [{ ...addresses("fd00::1"), ports: [http] }] },
  },
  {
    collection: coreIn("endpoints"),
    object: { metadata: { name: "not-ready" }, subsets: [{ notReadyAddresses: [{ ip: "10.0.0.9" }], ports: [http] }] },
  },
  { collection: slices, object: { metadata: { name: "empty" }, addressType: "IPv4", endpoints: [] } },
  {
    collection: slices,
    object: {
      metadata: { name: "many" },
      addressType: "IPv6",
      endpoints: [
        { addresses: ["fd00::1"] },
        { addresses: ["fd00::2"] },
        { addresses: ["fd00::3"] },
        { addresses: ["fd00::4"] },
      ],
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 2 },
        { name: "c", port: 3 },
        { name: "d", port: 4 },
        { name: "e", port: 5 },
      ],
    },
  },
  {
    collection: slices,
    object: {
      metadata: { name: "unset" },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"] }],
      ports: [{ name: "by-name" }, { name: "", port: 7 }],
    },
  },
  {
    collection: slices,
    object: { metadata: { name: "all" }, addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{}] },
  },
  ingress("bare", { defaultBackend: backend }),
  ingress(
    "hosts",
    {
      ingressClassName: "nginx",
      rules: [rule("a.example"), rule("b.example")],
      tls: [{ hosts: ["a.example"], secretName: "s" }],
    },
    {
      loadBalancer: {
        ingress: [{ hostname: "z.example" }, { ip: "203.0.113.4" }, { hostname: "a-rather-long-name.example" }],
      },
    },
  ),
  ingress("many", { rules: [rule("a.example"), rule(), rule("b.example"), rule("c.example"), rule("d.example")] }),
  { collection: ingressClasses, object: { metadata: { name: "nginx" }, spec: { controller: "example.com/nginx" } } },
  {
    collection: ingressClasses,
    object: {
      metadata: { name: "other", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
      spec: {
        controller: "example.com/other",
        parameters: { apiGroup: "example.com", kind: "Params", name: "p", scope: "Cluster" },
      },
    },
  },
  {
    collection: ingressClasses,
    object: {
      metadata: { name: "third" },
      spec: {
        controller: "example.com/third",
        parameters: { kind: "ConfigMap", name: "p", scope: "Namespace", namespace: "n" },
      },
    },
  },
  {
    collection: namespaced("networking.k8s.io/v1", "networkpolicies"),
    object: { metadata: { name: "all" }, spec: { podSelector: {} } },
  },
  {
    collection: namespaced("networking.k8s.io/v1", "networkpolicies"),
    object: { metadata: { name: "some" }, spec: { podSelector: selector } },
  },
  {
    collection: "/apis/networking.k8s.io/v1/servicecidrs",
    object: { metadata: { name: "more" }, spec: { cidrs: ["10.99.0.0/16"] } },
  },
];
