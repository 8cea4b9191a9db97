// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf, textsAt, valueAt } from "../../json/json-fields.ts";
import { labelKeyErrors, validateLabels } from "../../metadata/label-rules.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  requiredValue,
} from "../../status/field-error.ts";
import { isSet, pointedNumber } from "../checks/object-fields.ts";
import { validateCidr, validateIp } from "../pod-spec/ip-address.ts";
import {
  invalidEach,
  validateChoice,
  validateOptionalChoice,
  validatePortNumber,
  validatePortRef,
} from "../pod-spec/text-rules.ts";
import { protocols } from "../pod-spec/validate-container.ts";
import { validateEndpointIp } from "./endpoints.ts";
import { isExternallyAccessible, isHeadless, needsHealthCheck, serviceType } from "./service-predicates.ts";
import { validateIpFields } from "./validate-service-ips.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const sourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";
const balancerOnly = "may only be used when `type` is 'LoadBalancer'";

/** Kubernetes' maximum timeout of session affinity: one day. */
const maxAffinitySeconds = 86_400;

/** Validates a Service after defaults and allocation. */
export function validateService(service: JsonObject): readonly FieldError[] {
  const spec = objectAt(service, "spec") ?? {};
  return [
    ...validateShape(service, spec),
    ...validatePorts(spec),
    ...validateLabels(getKey(spec, "selector"), "spec.selector"),
    ...validateAffinity(spec),
    ...validateIpFields(service),
    ...validateExternalIps(spec),
    ...validateChoice("spec.type", textOf(spec, "type"), types),
    ...validateNodePorts(spec),
    ...validatePortPairs(spec),
    ...validateLoadBalancer(service, spec),
    ...validateTrafficPolicies(service, spec),
  ];
}

function validateShape(service: JsonObject, spec: JsonObject): readonly FieldError[] {
  const type = serviceType(service);
  const errors: FieldError[] = [];
  if (objectsAt(spec, "ports").length === 0 && !isHeadless(service) && type !== "ExternalName")
    errors.push(requiredValue("spec.ports"));
  if (isHeadless(service) && (type === "LoadBalancer" || type === "NodePort"))
    errors.push(invalidValue("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  if (type !== "ExternalName") return errors;
  for (const key of ["clusterIPs", "ipFamilies"])
    if (textsAt(spec, key).length > 0)
      errors.push(forbiddenField(`spec.${key}`, "may not be set for ExternalName services"));
  if (isSet(spec, "ipFamilyPolicy"))
    errors.push(forbiddenField("spec.ipFamilyPolicy", "may not be set for ExternalName services"));
  const name = textOf(spec, "externalName").replace(/\.$/, "");
  if (name === "") errors.push(requiredValue("spec.externalName"));
  else errors.push(...invalidEach("spec.externalName", name, dnsSubdomainErrors(name, false)));
  return errors;
}

function validatePorts(spec: JsonObject): readonly FieldError[] {
  const ports = objectsAt(spec, "ports");
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const name = textOf(port, "name");
    const appProtocol = getKey(port, "appProtocol");
    const errors: FieldError[] = [];
    if (name !== "") {
      errors.push(...invalidEach(`${at}.name`, name, dnsLabelErrors(name, false)));
      if (names.has(name)) errors.push(duplicateValue(`${at}.name`, name));
      names.add(name);
    } else if (ports.length > 1) errors.push(requiredValue(`${at}.name`));
    return [
      ...errors,
      ...validatePortNumber(`${at}.port`, countOf(port, "port")),
      ...validateChoice(`${at}.protocol`, textOf(port, "protocol"), protocols),
      ...validatePortRef(`${at}.targetPort`, getKey(port, "targetPort")),
      ...(typeof appProtocol === "string"
        ? invalidEach(`${at}.appProtocol`, appProtocol, labelKeyErrors(appProtocol))
        : []),
    ];
  });
}

function validateAffinity(spec: JsonObject): readonly FieldError[] {
  const affinity = textOf(spec, "sessionAffinity");
  const at = "spec.sessionAffinityConfig";
  const errors = [...validateChoice("spec.sessionAffinity", affinity, ["ClientIP", "None"])];
  if (affinity === "None" && isSet(spec, "sessionAffinityConfig"))
    errors.push(forbiddenField(at, "must not be set when session affinity is None"));
  if (affinity !== "ClientIP") return errors;
  const seconds = pointedNumber(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds") ?? 0;
  if (seconds <= 0 || seconds > maxAffinitySeconds)
    errors.push(
      invalidValue(
        `${at}.clientIP.timeoutSeconds`,
        seconds,
        `must be greater than 0 and less than ${maxAffinitySeconds}`,
      ),
    );
  return errors;
}

function validateExternalIps(spec: JsonObject): readonly FieldError[] {
  return textsAt(spec, "externalIPs").flatMap((ip, index) => {
    const at = `spec.externalIPs[${index}]`;
    const errors = validateIp(at, ip);
    return errors.length > 0 ? errors : validateEndpointIp(at, ip);
  });
}

function validateNodePorts(spec: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  const ports = objectsAt(spec, "ports");
  if (textOf(spec, "type") === "ClusterIP")
    ports.forEach((port, index) => {
      if (countOf(port, "nodePort") !== 0)
        errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
    });
  ports.forEach((port, index) => {
    const nodePort = countOf(port, "nodePort");
    if (nodePort === 0) return;
    const key = `${textOf(port, "protocol")}/${nodePort}`;
    if (seen.has(key)) errors.push(duplicateValue(`spec.ports[${index}].nodePort`, nodePort));
    seen.add(key);
  });
  return errors;
}

function validatePortPairs(spec: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, "ports").flatMap((port, index) => {
    const key = `${textOf(port, "protocol")}/${countOf(port, "port")}`;
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated ? [duplicateValue(`spec.ports[${index}]`, toShownPort(port))] : [];
  });
}

/** The duplicate as kube-apiserver prints it: its internal struct with only protocol and port set. */
function toShownPort(port: JsonObject): JsonObject {
  return {
    Name: "",
    Protocol: textOf(port, "protocol"),
    AppProtocol: null,
    Port: countOf(port, "port"),
    TargetPort: 0,
    NodePort: 0,
  };
}

function validateLoadBalancer(service: JsonObject, spec: JsonObject): readonly FieldError[] {
  const isBalancer = serviceType(service) === "LoadBalancer";
  const ranges = textsAt(spec, "loadBalancerSourceRanges");
  const annotation = valueAt(service, "metadata", "annotations", sourceRanges);
  const loadBalancerClass = getKey(spec, "loadBalancerClass");
  const errors: FieldError[] = [];
  if (ranges.length > 0) {
    if (!isBalancer) errors.push(forbiddenField("spec.LoadBalancerSourceRanges", balancerOnly));
    ranges.forEach((range, index) =>
      errors.push(...validateCidr(`spec.LoadBalancerSourceRanges[${index}]`, range.trim())),
    );
  } else if (typeof annotation === "string") {
    const at = `metadata.annotations[${sourceRanges}]`;
    if (!isBalancer) errors.push(forbiddenField(at, balancerOnly));
    const texts = annotation.trim() === "" ? [] : annotation.split(",");
    for (const text of texts) errors.push(...validateCidr(at, text.trim()));
  }
  if (!isBalancer && isSet(spec, "allocateLoadBalancerNodePorts"))
    errors.push(forbiddenField("spec.allocateLoadBalancerNodePorts", balancerOnly));
  if (typeof loadBalancerClass !== "string") return errors;
  if (!isBalancer) return [...errors, forbiddenField("spec.loadBalancerClass", balancerOnly)];
  return [...errors, ...invalidEach("spec.loadBalancerClass", loadBalancerClass, labelKeyErrors(loadBalancerClass))];
}

function validateTrafficPolicies(service: JsonObject, spec: JsonObject): readonly FieldError[] {
  const external = textOf(spec, "externalTrafficPolicy");
  const healthPort = countOf(spec, "healthCheckNodePort");
  const errors: FieldError[] = [];
  if (isExternallyAccessible(service))
    errors.push(...validateChoice("spec.externalTrafficPolicy", external, ["Cluster", "Local"]));
  else if (external !== "")
    errors.push(
      invalidValue("spec.externalTrafficPolicy", external, "may only be set for externally-accessible services"),
    );
  if (needsHealthCheck(service)) {
    if (healthPort === 0) errors.push(requiredValue("spec.healthCheckNodePort"));
    else errors.push(...validatePortNumber("spec.healthCheckNodePort", healthPort));
  } else if (healthPort !== 0)
    errors.push(
      invalidValue(
        "spec.healthCheckNodePort",
        healthPort,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ),
    );
  return [
    ...errors,
    ...validateOptionalChoice("spec.internalTrafficPolicy", getKey(spec, "internalTrafficPolicy"), [
      "Cluster",
      "Local",
    ]),
    ...validateOptionalChoice("spec.trafficDistribution", getKey(spec, "trafficDistribution"), [
      "PreferClose",
      "PreferSameZone",
      "PreferSameNode",
    ]),
  ];
}
