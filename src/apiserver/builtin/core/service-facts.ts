// SPDX-License-Identifier: Apache-2.0
// What the fields of a Service mean to each other.
import { type JsonObject, valueAt } from "../../json/json.ts";
import { textOf, textsAt } from "../pod-spec/pod-spec-fields.ts";

export function serviceType(service: JsonObject): string {
  return textOf(service, "spec", "type");
}

/** Everything but ExternalName has an address of its own, or says None. */
export function needsClusterIp(service: JsonObject): boolean {
  return serviceType(service) !== "ExternalName";
}

export function needsNodePorts(service: JsonObject): boolean {
  return serviceType(service) === "NodePort" || serviceType(service) === "LoadBalancer";
}

/** A load balancer that sends only to nodes with Pods asks each node whether it has some, at a port. */
export function needsHealthCheck(service: JsonObject): boolean {
  return serviceType(service) === "LoadBalancer" && textOf(service, "spec", "externalTrafficPolicy") === "Local";
}

/** Reachable from outside: by node port, load balancer or an external address. */
export function isExternallyAccessible(service: JsonObject): boolean {
  const hasExternalIps = textsAt(service, "spec", "externalIPs").length > 0;
  return needsNodePorts(service) || (serviceType(service) === "ClusterIP" && hasExternalIps);
}

export function isHeadless(service: JsonObject): boolean {
  const ips = textsAt(service, "spec", "clusterIPs");
  return ips.length === 1 && ips[0] === "None";
}

/** Ports get node ports unless a load balancer's owner does not want them. */
export function allocatesNodePorts(service: JsonObject): boolean {
  if (serviceType(service) === "NodePort") return true;
  const wish = valueAt(service, "spec", "allocateLoadBalancerNodePorts");
  return serviceType(service) === "LoadBalancer" && wish !== false;
}
