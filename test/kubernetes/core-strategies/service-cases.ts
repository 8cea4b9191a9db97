// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { type CoreCase, objectCase } from "./core-case.ts";

function serviceCase(name: string, spec: JsonObject, metadata: JsonObject = {}): CoreCase {
  return objectCase("services", name, { spec }, metadata);
}

const ports = [{ port: 80 }];

/** Services: good, odd and wrong ones. */
export const serviceCases: readonly CoreCase[] = [
  serviceCase("plain", { ports, selector: { a: "b" } }),
  serviceCase("no ports", {}),
  serviceCase("headless", { clusterIP: "None", ports, selector: { a: "b" } }),
  serviceCase("headless without selector", { clusterIP: "None" }),
  serviceCase("external name", { type: "ExternalName", externalName: "example.com." }),
  serviceCase("external name missing", { type: "ExternalName" }),
  serviceCase("external name with an address", { type: "ExternalName", externalName: "a.b", clusterIP: "10.0.0.9" }),
  serviceCase("node port", {
    type: "NodePort",
    ports: [
      { port: 80, targetPort: "http" },
      { name: "x", port: 81 },
    ],
  }),
  serviceCase("load balancer", { type: "LoadBalancer", ports, loadBalancerSourceRanges: ["10.0.0.0/8"] }),
  serviceCase("local load balancer", { type: "LoadBalancer", ports, externalTrafficPolicy: "Local" }),
  serviceCase("load balancer without node ports", {
    type: "LoadBalancer",
    ports,
    allocateLoadBalancerNodePorts: false,
  }),
  serviceCase("sticky", { ports, sessionAffinity: "ClientIP" }),
  serviceCase("too sticky", {
    ports,
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 100000 } },
  }),
  serviceCase("affinity that does not exist", { ports, sessionAffinity: "Cookie" }),
  serviceCase("type that does not exist", { ports, type: "Magic" }),
  serviceCase("address of its own", { ports, clusterIP: "10.0.0.77" }),
  serviceCase("address out of range", { ports, clusterIP: "10.99.0.1" }),
  serviceCase("address that is none", { ports, clusterIP: "10.0.0" }),
  serviceCase("addresses that differ", { ports, clusterIP: "10.0.0.5", clusterIPs: ["10.0.0.6"] }),
  serviceCase("dual stack required", { ports, ipFamilyPolicy: "RequireDualStack" }),
  serviceCase("dual stack preferred", { ports, ipFamilyPolicy: "PreferDualStack" }),
  serviceCase("IPv6", { ports, ipFamilies: ["IPv6"] }),
  serviceCase("families twice", { ports, ipFamilies: ["IPv4", "IPv4"] }),
  serviceCase("wrong ports", {
    ports: [{ port: 0 }, { port: 80, protocol: "ICMP" }, { name: "A", port: 80, targetPort: 99999 }],
  }),
  serviceCase("same port twice", {
    ports: [
      { name: "a", port: 80 },
      { name: "a", port: 80 },
    ],
  }),
  serviceCase("node port without need", { ports: [{ port: 80, nodePort: 30080 }] }),
  serviceCase("external addresses", { ports, externalIPs: ["127.0.0.1", "x", "1.2.3.4"] }),
  serviceCase("fields of other types", {
    ports,
    allocateLoadBalancerNodePorts: true,
    loadBalancerClass: "a/b",
    healthCheckNodePort: 30000,
    externalTrafficPolicy: "Local",
  }),
  serviceCase("wrong policies", { ports, internalTrafficPolicy: "Far", trafficDistribution: "Near" }),
  serviceCase("name that begins with a digit", { ports }, { name: "1st" }),
  serviceCase("bad selector and name", { ports, selector: { "a b": "c" } }, { name: "a.b" }),
];
