// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue } from "../../status/field-error.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import {
  httpHeaderErrors,
  invalidEach,
  validateNotNegative,
  validateOptionalChoice,
  validatePortNumber,
  validatePortRef,
} from "./text-rules.ts";

/** Data of the Pod that hooks and probes are validated against. */
export interface ProbeContext {
  /** The Pod's grace period. A sleep must not be longer. */
  readonly graceSeconds: number | bigint | undefined;
}

const handlerOrder = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

/** Validates the three probes of a container. */
export function validateProbes(container: JsonObject, field: string, context: ProbeContext): readonly FieldError[] {
  return [
    ...validateProbe(objectAt(container, "livenessProbe"), `${field}.livenessProbe`, context),
    ...validateProbe(objectAt(container, "readinessProbe"), `${field}.readinessProbe`, context, true),
    ...validateProbe(objectAt(container, "startupProbe"), `${field}.startupProbe`, context),
  ];
}

/** Validates the lifecycle hooks of a container. */
export function validateLifecycle(container: JsonObject, field: string, context: ProbeContext): readonly FieldError[] {
  const lifecycle = objectAt(container, "lifecycle");
  if (lifecycle === undefined) return [];
  const errors: FieldError[] = [];
  for (const hook of ["postStart", "preStop"]) {
    const handler = objectAt(lifecycle, hook);
    if (handler !== undefined) errors.push(...validateHandler(handler, `${field}.lifecycle.${hook}`, context));
  }
  return errors;
}

function validateProbe(
  probe: JsonObject | undefined,
  field: string,
  context: ProbeContext,
  isReadiness = false,
): readonly FieldError[] {
  if (probe === undefined) return [];
  const errors = [...validateHandler(probe, field, context)];
  for (const key of ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"])
    errors.push(...validateNotNegative(`${field}.${key}`, pointedNumber(probe, key)));
  const grace = pointedNumber(probe, "terminationGracePeriodSeconds");
  const graceField = `${field}.terminationGracePeriodSeconds`;
  if (grace !== undefined && grace <= 0) errors.push(invalidValue(graceField, grace, "must be greater than 0"));
  if (isReadiness) {
    if (grace !== undefined) errors.push(invalidValue(graceField, grace, "must not be set for readinessProbes"));
  } else if (countOf(probe, "successThreshold") !== 1)
    errors.push(invalidValue(`${field}.successThreshold`, countOf(probe, "successThreshold"), "must be 1"));
  return errors;
}

function validateHandler(holder: JsonObject, field: string, context: ProbeContext): readonly FieldError[] {
  const [first, ...others] = handlerOrder.filter((name) => objectAt(holder, name) !== undefined);
  if (first === undefined) return [requiredValue(field, "must specify a handler type")];
  return [
    ...validateAction(first, objectAt(holder, first) ?? {}, `${field}.${first}`, context),
    ...others.map((name) => forbiddenField(`${field}.${name}`, "may not specify more than 1 handler type")),
  ];
}

function validateAction(
  name: string,
  action: JsonObject,
  field: string,
  { graceSeconds }: ProbeContext,
): readonly FieldError[] {
  switch (name) {
    case "exec":
      return textsAt(action, "command").length === 0 ? [requiredValue(`${field}.command`)] : [];
    case "httpGet":
      return validateHttpGet(action, field);
    case "tcpSocket":
      return validatePortRef(`${field}.port`, getKey(action, "port"));
    case "grpc":
      return validatePortNumber(`${field}.port`, countOf(action, "port"));
    default: {
      const seconds = countOf(action, "seconds");
      if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
      const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
      return [invalidValue(field, seconds, detail)];
    }
  }
}

function validateHttpGet(action: JsonObject, field: string): readonly FieldError[] {
  const path = textOf(action, "path") === "" ? [requiredValue(`${field}.path`)] : [];
  return [
    ...path,
    ...validatePortRef(`${field}.port`, getKey(action, "port")),
    ...validateOptionalChoice(`${field}.scheme`, textOf(action, "scheme"), ["HTTP", "HTTPS"]),
    ...objectsAt(action, "httpHeaders").flatMap((header) => {
      const name = textOf(header, "name");
      return invalidEach(`${field}.httpHeaders`, name, httpHeaderErrors(name));
    }),
  ];
}
