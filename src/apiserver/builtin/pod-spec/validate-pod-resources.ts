// SPDX-License-Identifier: Apache-2.0
// Pod-level resources, and resource claims.

import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { isSet } from "../checks/object-fields.ts";
import { isHugePages, validateResourceName } from "./resource-names.ts";
import { invalidEach } from "./text-rules.ts";
import { validateResources } from "./validate-resources.ts";

/** Validates the pod-level resources. */
export function validatePodResources(
  spec: JsonObject,
  field: string,
  claimNames: ReadonlySet<string>,
): readonly FieldError[] {
  const resources = objectAt(spec, "resources");
  if (resources === undefined) return [];
  const at = `${field}.resources`;
  if (textOf(spec, "os", "name") === "windows") return [forbiddenField(at, "may not be set for a windows pod")];
  const claims = isSet(resources, "claims")
    ? [forbiddenField(`${at}.claims`, "claims may not be set for Resources at pod-level")]
    : [];
  return [...claims, ...validateResources(resources, at, claimNames, validatePodResourceName)];
}

function validatePodResourceName(name: string, field: string): readonly FieldError[] {
  const errors = validateResourceName(name, field);
  if (errors.length > 0 || name === "cpu" || name === "memory" || isHugePages(name)) return errors;
  return [notSupportedValue(field, name, ["cpu", "hugepages-", "memory"])];
}

/** Validates the resource claims of a Pod. */
export function validateResourceClaims(spec: JsonObject, field: string): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, "resourceClaims").flatMap((claim, index) => {
    const at = `${field}[${index}]`;
    const name = textOf(claim, "name");
    const errors: FieldError[] = [];
    if (name === "") errors.push(requiredValue(`${at}.name`));
    else if (seen.has(name)) errors.push(duplicateValue(`${at}.name`, name));
    else errors.push(...invalidEach(`${at}.name`, name, dnsLabelErrors(name, false)));
    seen.add(name);
    const sources = ["resourceClaimName", "resourceClaimTemplateName"].filter((key) => isSet(claim, key));
    // Error messages print kube-apiserver's internal form.
    const shown = {
      Name: name,
      ResourceClaimName: getKey(claim, "resourceClaimName") ?? null,
      ResourceClaimTemplateName: getKey(claim, "resourceClaimTemplateName") ?? null,
    };
    if (sources.length > 1)
      errors.push(
        invalidValue(at, shown, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"),
      );
    if (sources.length === 0)
      errors.push(invalidValue(at, shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    for (const key of sources) {
      const text = getKey(claim, key);
      if (typeof text === "string") errors.push(...invalidEach(`${at}.${key}`, text, dnsSubdomainErrors(text, false)));
    }
    return errors;
  });
}
