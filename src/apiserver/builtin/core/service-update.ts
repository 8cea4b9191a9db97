// SPDX-License-Identifier: Apache-2.0
// Updates of a Service: fields to restore, fields to drop, and changes that are forbidden.

import { type DraftObject, deleteKey, ensureObject, getKey, isEqualJson, type JsonObject } from "../../json/json.ts";
import { countOf, objectsAt, textOf, textsAt, valueAt } from "../../json/json-fields.ts";
import { type FieldError, forbiddenField, invalidValue } from "../../status/field-error.ts";
import { isSameValue } from "../checks/field-checks.ts";
import {
  isExternallyAccessible,
  isHeadless,
  needsClusterIp,
  needsHealthCheck,
  needsNodePorts,
  serviceType,
} from "./service-predicates.ts";

/**
 * Restores node ports that an update omits, by port name, unless another port uses the number. Restores the health
 * check port too.
 */
export function keepNodePorts(service: DraftObject, old: JsonObject): void {
  if (needsNodePorts(old) && needsNodePorts(service)) {
    const oldPorts = objectsAt(old, "spec", "ports");
    const ports = objectsAt(service, "spec", "ports");
    const numbers = new Set(ports.map((port) => countOf(port, "nodePort")));
    const byName = new Map(oldPorts.map((port) => [textOf(port, "name"), countOf(port, "nodePort")]));
    for (const port of ports) {
      const kept = byName.get(textOf(port, "name")) ?? 0;
      if (countOf(port, "nodePort") === 0 && kept !== 0 && !numbers.has(kept)) port["nodePort"] = kept;
    }
  }
  const healthPort = countOf(old, "spec", "healthCheckNodePort");
  if (!needsHealthCheck(old) || !needsHealthCheck(service) || healthPort === 0) return;
  const spec = ensureObject(service, "spec");
  if (countOf(spec, "healthCheckNodePort") === 0) spec["healthCheckNodePort"] = healthPort;
}

/** Drops fields that the new type does not use, unless the same update changes them. */
export function dropUnusedFields(service: DraftObject, old: JsonObject): void {
  const spec = ensureObject(service, "spec");
  const dropSame = (...keys: readonly string[]): void => {
    if (keys.every((key) => isSameValue(getKey(spec, key), valueAt(old, "spec", key))))
      for (const key of keys) deleteKey(spec, key);
  };
  if (needsClusterIp(old) && !needsClusterIp(service)) {
    dropSame("clusterIP", "clusterIPs");
    dropSame("ipFamilies");
    dropSame("ipFamilyPolicy");
  }
  if (needsNodePorts(old) && !needsNodePorts(service)) dropNodePorts(service, old);
  if (needsHealthCheck(old) && !needsHealthCheck(service)) dropSame("healthCheckNodePort");
  if (serviceType(old) === "LoadBalancer" && serviceType(service) !== "LoadBalancer") {
    dropSame("allocateLoadBalancerNodePorts");
    dropSame("loadBalancerClass");
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(service)) dropSame("externalTrafficPolicy");
  if (serviceType(service) !== "LoadBalancer") ensureObject(service, "status")["loadBalancer"] = {};
}

function dropNodePorts(service: DraftObject, old: JsonObject): void {
  const known = new Set(objectsAt(old, "spec", "ports").map((port) => countOf(port, "nodePort")));
  const ports = objectsAt(service, "spec", "ports");
  if (ports.some((port) => countOf(port, "nodePort") !== 0 && !known.has(countOf(port, "nodePort")))) return;
  for (const port of ports) deleteKey(port, "nodePort");
}

/**
 * Validates an update: cluster IPs, IP families, load balancer class and health check port are immutable while in use.
 */
export function validateServiceUpdate(service: JsonObject, old: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (needsClusterIp(service) && needsClusterIp(old))
    errors.push(...validateAddresses(service, old), ...validateFamilies(service, old));
  const isBalancer = serviceType(service) === "LoadBalancer" && serviceType(old) === "LoadBalancer";
  const balancerClass = valueAt(service, "spec", "loadBalancerClass") ?? null;
  if (isBalancer && !isEqualJson(balancerClass, valueAt(old, "spec", "loadBalancerClass") ?? null))
    errors.push(invalidValue("spec.loadBalancerClass", balancerClass, "may not change once set"));
  const healthPort = countOf(service, "spec", "healthCheckNodePort");
  if (needsHealthCheck(old) && needsHealthCheck(service) && healthPort !== countOf(old, "spec", "healthCheckNodePort"))
    errors.push(forbiddenField("spec.healthCheckNodePort", "field is immutable"));
  return errors;
}

function validateAddresses(service: JsonObject, old: JsonObject): readonly FieldError[] {
  if (isHeadless(service) && isHeadless(old)) return [];
  const ips = textsAt(service, "spec", "clusterIPs");
  const oldIps = textsAt(old, "spec", "clusterIPs");
  const shown = [...ips];
  if (ips.length === 0 && oldIps.length > 0)
    return [invalidValue("spec.clusterIPs[0]", shown, "primary clusterIP can not be unset")];
  const comparedCount = ips.length === oldIps.length ? oldIps.length : Math.min(oldIps.length, 1);
  return oldIps.slice(0, comparedCount).flatMap((ip, index) => {
    if (ip === ips[index]) return [];
    return [invalidValue(`spec.clusterIPs[${index}]`, shown, "may not change once set")];
  });
}

function validateFamilies(service: JsonObject, old: JsonObject): readonly FieldError[] {
  if (isHeadless(service) || isHeadless(old)) return [];
  const families = textsAt(service, "spec", "ipFamilies");
  const oldFamilies = textsAt(old, "spec", "ipFamilies");
  if (families.length !== oldFamilies.length) return [];
  return oldFamilies.flatMap((family, index) =>
    family === families[index] ? [] : [invalidValue("spec.ipFamilies[0]", [...families], "may not change once set")],
  );
}
