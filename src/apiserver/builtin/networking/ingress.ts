// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textAt, textOf, textsAt } from "../../json/json-fields.ts";
import { dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, notSupportedValue, requiredValue } from "../../status/field-error.ts";
import { refuseAtCreation } from "../checks/creation-checks.ts";
import { wildcardDomainErrors } from "../checks/domain-names.ts";
import { objectOf } from "../checks/field-checks.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";
import { parseIp, validateIp } from "../pod-spec/ip-address.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";
import { validateBackend } from "./ingress-backend.ts";
import { ipWarnings } from "./ip-warnings.ts";

const classAnnotation = "kubernetes.io/ingress.class";
const forbiddenParts = ["//", "/./", "/../", "%2f", "%2F"];
const forbiddenEnds = ["/..", "/."];
const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const rules = objectsAt(spec, "rules");
  const backend = objectAt(spec, "defaultBackend");
  const className = getKey(spec, "ingressClassName");
  return [
    ...(rules.length === 0 && backend === undefined
      ? [invalidValue("spec", getKey(spec, "rules") ?? null, "either `defaultBackend` or `rules` must be specified")]
      : []),
    ...(backend === undefined ? [] : validateBackend(backend, "spec.defaultBackend")),
    ...rules.flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`)),
    ...objectsAt(spec, "tls").flatMap((tls, index) => validateTls(tls, `spec.tls[${index}]`)),
    ...(typeof className === "string"
      ? invalidEach("spec.ingressClassName", className, dnsSubdomainErrors(className, false))
      : []),
  ];
}

/** At creation, the class annotation must equal `ingressClassName` if both are set. */
function classConflict(object: JsonObject): readonly FieldError[] {
  const annotated = textAt(object, "metadata", "annotations", classAnnotation);
  const className = textAt(object, "spec", "ingressClassName");
  if (annotated === undefined || className === undefined || annotated === className) return [];
  return [
    invalidValue(`annotations.${classAnnotation}`, annotated, "must match `ingressClassName` when both are specified"),
  ];
}

function validateRule(rule: JsonObject, field: string): readonly FieldError[] {
  const http = objectAt(rule, "http");
  const paths = http === undefined ? [] : objectsAt(http, "paths");
  return [
    ...validateHost(textOf(rule, "host"), `${field}.host`),
    ...(http !== undefined && paths.length === 0 ? [requiredValue(`${field}.http.paths`)] : []),
    ...paths.flatMap((path, index) => validatePath(path, `${field}.http.paths[${index}]`)),
  ];
}

function validateHost(host: string, field: string): readonly FieldError[] {
  if (host === "") return [];
  return [
    ...(parseIp(host) === undefined ? [] : [invalidValue(field, host, "must be a DNS name, not an IP address")]),
    ...invalidEach(field, host, hostErrors(host)),
  ];
}

function hostErrors(host: string): readonly string[] {
  return host.includes("*") ? wildcardDomainErrors(host) : dnsSubdomainErrors(host, false);
}

function validatePath(rule: JsonObject, field: string): readonly FieldError[] {
  const pathType = getKey(rule, "pathType");
  if (typeof pathType !== "string") return [requiredValue(`${field}.pathType`, "pathType must be specified")];
  return [
    ...validatePathText(textOf(rule, "path"), pathType, field),
    ...validateBackend(objectOf(rule, "backend"), `${field}.backend`),
  ];
}

function validatePathText(path: string, pathType: string, field: string): readonly FieldError[] {
  if (!pathTypes.includes(pathType)) return [notSupportedValue(`${field}.pathType`, pathType, pathTypes)];
  const isFree = pathType === "ImplementationSpecific";
  const at = `${field}.path`;
  const absolute =
    path.startsWith("/") || (isFree && path === "") ? [] : [invalidValue(at, path, "must be an absolute path")];
  if (isFree) return absolute;
  return [
    ...absolute,
    ...forbiddenParts
      .filter((part) => path.includes(part))
      .map((part) => invalidValue(at, path, `must not contain '${part}'`)),
    ...forbiddenEnds
      .filter((end) => path.endsWith(end))
      .map((end) => invalidValue(at, path, `cannot end with '${end}'`)),
  ];
}

function validateTls(tls: JsonObject, field: string): readonly FieldError[] {
  const secretName = textOf(tls, "secretName");
  return [
    ...textsAt(tls, "hosts").flatMap((host, index) => invalidEach(`${field}.hosts[${index}]`, host, hostErrors(host))),
    ...(secretName === "" ? [] : invalidEach(`${field}.secretName`, secretName, dnsSubdomainErrors(secretName, false))),
  ];
}

function validateStatusUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const known = new Set(objectsAt(old, "status", "loadBalancer", "ingress").map((balancer) => textOf(balancer, "ip")));
  return objectsAt(object, "status", "loadBalancer", "ingress").flatMap((balancer, index) => {
    const field = `status.loadBalancer.ingress[${index}]`;
    const ip = textOf(balancer, "ip");
    const hostname = textOf(balancer, "hostname");
    const isIp = parseIp(hostname) !== undefined;
    return [
      ...(ip === "" || known.has(ip) ? [] : validateIp(`${field}.ip`, ip)),
      ...(hostname === "" ? [] : invalidEach(`${field}.hostname`, hostname, dnsSubdomainErrors(hostname, false))),
      ...(isIp ? [invalidValue(`${field}.hostname`, hostname, "must be a DNS name, not an IP address")] : []),
    ];
  });
}

function warnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const isAnnotated = textAt(object, "metadata", "annotations", classAnnotation) !== undefined;
  const isNamed = textAt(object, "spec", "ingressClassName") !== undefined;
  if (old !== undefined)
    return objectsAt(object, "status", "loadBalancer", "ingress").flatMap((balancer, index) =>
      ipWarnings(`status.loadBalancer.ingress[${index}]`, textOf(balancer, "ip")),
    );
  if (!isAnnotated || isNamed) return [];
  return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
}

const resetIngressStatus = resetStatus({ loadBalancer: {} });

/** Ingresses. */
export const ingressStrategy: Strategy = {
  prepareForCreate(object) {
    resetIngressStatus(object);
    const kind = { group: "networking.k8s.io", kind: "Ingress" };
    refuseAtCreation(kind, object, { always: () => validate(object), atCreation: classConflict(object) });
  },
  prepareForUpdate: keepStatus,
  validate,
  validateStatusUpdate,
  warnings,
  countsGenerations: true,
};
