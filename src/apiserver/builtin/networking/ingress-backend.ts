// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, textOf } from "../../json/json-fields.ts";
import { dnsLabelErrors, dnsSubdomainErrors, pathSegmentErrors } from "../../metadata/name-rules.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { invalidEach, portNameErrors, validatePortNumber } from "../pod-spec/text-rules.ts";

/** Validates a backend: either a port of a Service, or another resource. */
export function validateBackend(backend: JsonObject, field: string): readonly FieldError[] {
  const resource = objectAt(backend, "resource");
  const service = objectAt(backend, "service");
  if (resource !== undefined && service !== undefined)
    return [invalidValue(field, "", "cannot set both resource and service backends")];
  if (resource !== undefined) return validateReference(resource, `${field}.resource`);
  if (service !== undefined) return validateService(service, field);
  return [invalidValue(field, "", "resource or service backend is required")];
}

function validateService(service: JsonObject, field: string): readonly FieldError[] {
  const name = textOf(service, "name");
  return [
    ...(name === ""
      ? [requiredValue(`${field}.service.name`)]
      : invalidEach(`${field}.service.name`, name, dnsLabelErrors(name, false))),
    ...validatePort(service, field),
  ];
}

function validatePort(service: JsonObject, field: string): readonly FieldError[] {
  const name = textOf(service, "port", "name");
  const number = countOf(service, "port", "number");
  if (name !== "" && number !== 0) return [invalidValue(field, "", "cannot set both port name & port number")];
  if (name !== "") return invalidEach(`${field}.service.port.name`, name, portNameErrors(name));
  if (number !== 0) return validatePortNumber(`${field}.service.port.number`, number);
  return [requiredValue(field, "port name or number is required")];
}

/** Validates apiGroup, kind and name of a reference. It may name a namespaced or a cluster-scoped object. */
export function validateReference(reference: JsonObject, field: string): readonly FieldError[] {
  const apiGroup = getKey(reference, "apiGroup");
  return [
    ...(typeof apiGroup === "string"
      ? invalidEach(`${field}.apiGroup`, apiGroup, dnsSubdomainErrors(apiGroup, false))
      : []),
    ...["kind", "name"].flatMap((key) => {
      const text = textOf(reference, key);
      if (text === "") return [requiredValue(`${field}.${key}`)];
      return invalidEach(`${field}.${key}`, text, pathSegmentErrors(text, false));
    }),
  ];
}
