// SPDX-License-Identifier: Apache-2.0
// Predicates of a Service.

import { type JsonObject } from "../../json/json.ts";
import { textOf, textsAt, valueAt } from "../../json/json-fields.ts";

export function serviceType(service: JsonObject): string {
  return textOf(service, "spec", "type");
}

/** True for all types except ExternalName. A headless Service has the address `None`. */
export function needsClusterIp(service: JsonObject): boolean {
  return serviceType(service) !== "ExternalName";
}

export function needsNodePorts(service: JsonObject): boolean {
  return serviceType(service) === "NodePort" || serviceType(service) === "LoadBalancer";
}

/**
 * Whether the Service needs a health check port. With traffic policy Local, a load balancer asks each node there
 * whether it has Pods of the Service.
 */
export function needsHealthCheck(service: JsonObject): boolean {
  return serviceType(service) === "LoadBalancer" && textOf(service, "spec", "externalTrafficPolicy") === "Local";
}

/** Whether the Service is reachable from outside: by node port, load balancer or external IP. */
export function isExternallyAccessible(service: JsonObject): boolean {
  const hasExternalIps = textsAt(service, "spec", "externalIPs").length > 0;
  return needsNodePorts(service) || (serviceType(service) === "ClusterIP" && hasExternalIps);
}

export function isHeadless(service: JsonObject): boolean {
  const ips = textsAt(service, "spec", "clusterIPs");
  return ips.length === 1 && ips[0] === "None";
}

/** False for a LoadBalancer with `allocateLoadBalancerNodePorts: false`, and for types without node ports. */
export function allocatesNodePorts(service: JsonObject): boolean {
  if (serviceType(service) === "NodePort") return true;
  const isAllocated = valueAt(service, "spec", "allocateLoadBalancerNodePorts");
  return serviceType(service) === "LoadBalancer" && isAllocated !== false;
}
