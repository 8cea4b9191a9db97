// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, ensureObject, getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf, textsAt, valueAt } from "../../json/json-fields.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import type { Strategy, WriteContext } from "../../resources/strategy.ts";
import { type FieldError, forbiddenField, invalidValue } from "../../status/field-error.ts";
import { isSet, setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";
import { parseIp, validateIp } from "../pod-spec/ip-address.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";
import { parseAddressRange } from "./service-addresses.ts";
import { allocateClusterIps, fillClusterIps, keepClusterIps } from "./service-ip-fields.ts";
import { allocateNodePorts } from "./service-node-ports.ts";
import { isExternallyAccessible, isHeadless, serviceType } from "./service-predicates.ts";
import { dropUnusedFields, keepNodePorts, validateServiceUpdate } from "./service-update.ts";
import { validateService } from "./validate-service.ts";

/** Kubernetes' default timeout of session affinity: three hours. */
const defaultAffinitySeconds = 10_800;

const resetToUnbalanced = resetStatus({ loadBalancer: {} });

/** Creates the strategy of Services whose cluster IPs come from this range (`10.96.0.0/16`). */
export function createServiceStrategy(clusterIpRange: string): Strategy {
  const range = parseAddressRange(clusterIpRange);
  return {
    setDefaults: setServiceDefaults,
    prepareForCreate(object, context) {
      resetToUnbalanced(object);
      fillClusterIps(object);
      allocateClusterIps(object, undefined, { range, context });
      allocateNodePorts(object, { old: undefined, others: otherServices(object, context), random: context.random });
    },
    prepareForUpdate(object, old, context) {
      keepClusterIps(object, old);
      keepNodePorts(object, old);
      allocateClusterIps(object, old, { range, context });
      allocateNodePorts(object, { old, others: otherServices(object, context), random: context.random });
      keepStatus(object, old);
      dropUnusedFields(object, old);
    },
    validate: validateService,
    validateUpdate: validateServiceUpdate,
    checksChangeFirst: true,
    validateStatusUpdate: validateServiceStatus,
    warnings: serviceWarnings,
    nameErrors: dnsLabelErrors,
    allowsCreateOnUpdate: true,
    drawsFromShared: true,
    selectableFieldNames: ["spec.clusterIP", "spec.type"],
    selectableFields: (object) => ({
      "spec.clusterIP": textOf(object, "spec", "clusterIP"),
      "spec.type": serviceType(object),
    }),
  };
}

function setServiceDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  setIfEmpty(spec, "sessionAffinity", "None");
  if (textOf(spec, "sessionAffinity") === "None") deleteKey(spec, "sessionAffinityConfig");
  if (textOf(spec, "sessionAffinity") === "ClientIP") {
    const seconds = valueAt(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds");
    if (seconds === undefined || seconds === null)
      spec["sessionAffinityConfig"] = { clientIP: { timeoutSeconds: defaultAffinitySeconds } };
  }
  setIfEmpty(spec, "type", "ClusterIP");
  const type = textOf(spec, "type");
  for (const port of objectsAt(spec, "ports")) {
    setIfEmpty(port, "protocol", "TCP");
    setIfEmpty(port, "targetPort", countOf(port, "port"));
  }
  if (isExternallyAccessible(object)) setIfEmpty(spec, "externalTrafficPolicy", "Cluster");
  if (type === "NodePort" || type === "LoadBalancer" || type === "ClusterIP")
    setIfAbsent(spec, "internalTrafficPolicy", "Cluster");
  if (type === "ExternalName") deleteKey(spec, "internalTrafficPolicy");
  if (type !== "LoadBalancer") return;
  setIfAbsent(spec, "allocateLoadBalancerNodePorts", true);
  for (const ingress of objectsAt(object, "status", "loadBalancer", "ingress"))
    if (textOf(ingress, "ip") !== "") setIfAbsent(ingress, "ipMode", "VIP");
}

function otherServices(object: JsonObject, context: WriteContext): readonly JsonObject[] {
  const isSelf = (other: JsonObject): boolean =>
    ["namespace", "name"].every((key) => textOf(other, "metadata", key) === textOf(object, "metadata", key));
  return context.objects.list("services").filter((other) => !isSelf(other));
}

function validateServiceStatus(object: JsonObject): readonly FieldError[] {
  const at = "status.loadBalancer.ingress";
  const ingresses = objectsAt(object, "status", "loadBalancer", "ingress");
  if (serviceType(object) !== "LoadBalancer")
    return ingresses.length === 0 ? [] : [forbiddenField(at, "may only be used when `spec.type` is 'LoadBalancer'")];
  return ingresses.flatMap((ingress, index) => {
    const ip = textOf(ingress, "ip");
    const hostname = textOf(ingress, "hostname");
    const errors = ip === "" ? [] : [...validateIp(`${at}[${index}].ip`, ip)];
    if (ip === "" && isSet(ingress, "ipMode"))
      errors.push(forbiddenField(`${at}[${index}].ipMode`, "may not be specified when `ip` is not set"));
    if (hostname === "") return errors;
    errors.push(...invalidEach(`${at}[${index}].hostname`, hostname, dnsSubdomainErrors(hostname, false)));
    if (parseIp(hostname) !== undefined)
      errors.push(invalidValue(`${at}[${index}].hostname`, hostname, "must be a DNS name, not an IP address"));
    return errors;
  });
}

function serviceWarnings(object: JsonObject): readonly string[] {
  const spec = objectAt(object, "spec") ?? {};
  const hasExternalIps = textsAt(spec, "externalIPs").length > 0;
  const isExternalName = serviceType(object) === "ExternalName";
  const warnings: string[] = [];
  if (isHeadless(object) && serviceType(object) === "ClusterIP") {
    if (textOf(spec, "loadBalancerIP") !== "") warnings.push("spec.loadBalancerIP is ignored for headless services");
    if (hasExternalIps) warnings.push("spec.externalIPs is ignored for headless services");
    if (textOf(spec, "sessionAffinity") !== "None")
      warnings.push("spec.SessionAffinity is ignored for headless services");
  } else if (hasExternalIps && !isExternalName)
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (isExternalName && hasExternalIps) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isExternalName && textOf(spec, "externalName") !== "")
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (getKey(spec, "trafficDistribution") === "PreferClose")
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}
