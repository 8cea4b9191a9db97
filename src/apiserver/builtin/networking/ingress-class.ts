// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, textOf } from "../../json/json-fields.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, forbiddenField, notSupportedValue, requiredValue } from "../../status/field-error.ts";
import { validateDomainPrefixedPath } from "../checks/domain-names.ts";
import { atMostBytes, immutable, objectOf } from "../checks/field-checks.ts";
import { setIfAbsent } from "../checks/object-fields.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";
import { validateReference } from "./ingress-backend.ts";

/** Kubernetes' limit for the name of a controller. */
const maxControllerBytes = 250;
const scopes = ["Cluster", "Namespace"];

function setDefaults(object: DraftObject): void {
  const parameters = objectAt(object, "spec", "parameters");
  if (parameters !== undefined) setIfAbsent(parameters, "scope", "Cluster");
}

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const controller = textOf(spec, "controller");
  const parameters = objectAt(spec, "parameters");
  return [
    ...atMostBytes(controller, maxControllerBytes, "spec.controller"),
    ...validateDomainPrefixedPath("spec.controller", controller),
    ...(parameters === undefined ? [] : validateParameters(parameters, "spec.parameters")),
  ];
}

function validateParameters(parameters: JsonObject, field: string): readonly FieldError[] {
  return [...validateReference(parameters, field), ...validateScope(parameters, field)];
}

function validateScope(parameters: JsonObject, field: string): readonly FieldError[] {
  const scope = getKey(parameters, "scope") ?? null;
  const namespace = getKey(parameters, "namespace") ?? null;
  const at = `${field}.namespace`;
  if (scope === null) return [requiredValue(`${field}.scope`)];
  if (scope !== "Cluster" && scope !== "Namespace") return [notSupportedValue(`${field}.scope`, scope, scopes)];
  if (scope === "Cluster")
    return namespace === null ? [] : [forbiddenField(at, "`parameters.scope` is set to 'Cluster'")];
  if (typeof namespace !== "string") return [requiredValue(at, "`parameters.scope` is set to 'Namespace'")];
  return invalidEach(at, namespace, dnsLabelErrors(namespace, false));
}

/** IngressClasses. */
export const ingressClassStrategy: Strategy = {
  setDefaults,
  validate,
  validateUpdate: (object, old) =>
    immutable(textOf(object, "spec", "controller"), textOf(old, "spec", "controller"), "spec.controller"),
  countsGenerations: true,
};
