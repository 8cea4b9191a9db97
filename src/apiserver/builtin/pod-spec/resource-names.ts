// SPDX-License-Identifier: Apache-2.0
// Resource names: cpu, memory, hugepages-2Mi, example.com/gpu.
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { invalidEach } from "./text-rules.ts";

const containerResources = ["cpu", "memory", "ephemeral-storage"];

const objectCounts = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];

const quotaResources = new Set([
  ...containerResources,
  ...containerResources.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
  ...objectCounts,
]);

export function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

/** Whether Kubernetes defines the resource: no prefix, or one of kubernetes.io. */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Whether a vendor defines the resource: it has a prefix, and is still a valid name after `requests.`. */
export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith("requests.") && labelKeyErrors(`requests.${name}`).length === 0;
}

/** Whether a request may be below the limit. True for native resources except huge pages. */
export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** Whether the quantity must be an integer. */
export function isIntegerResource(name: string): boolean {
  return objectCounts.includes(name) || isExtendedResource(name);
}

/** Validates any resource name. */
export function validateResourceName(name: string, field: string): readonly FieldError[] {
  const errors = invalidEach(field, name, labelKeyErrors(name));
  const isStandard =
    quotaResources.has(name) || name === "storage" || isHugePages(name) || name.startsWith("requests.hugepages-");
  if (errors.length > 0 || name.includes("/") || isStandard) return errors;
  return [invalidValue(field, name, "must be a standard resource type or fully qualified")];
}

/** Validates a resource name in a container. */
export function validateContainerResourceName(name: string, field: string): readonly FieldError[] {
  const errors = validateResourceName(name, field);
  if (!name.includes("/")) {
    if (containerResources.includes(name) || isHugePages(name)) return errors;
    return [...errors, invalidValue(field, name, "must be a standard resource for containers")];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return errors;
  return [...errors, invalidValue(field, name, "doesn't follow extended resource name standard")];
}

/** Validates a resource name in a quota. */
export function validateQuotaResourceName(name: string, field: string): readonly FieldError[] {
  const errors = validateResourceName(name, field);
  const isStandard = quotaResources.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-");
  if (name.includes("/") || isStandard) return errors;
  return [...errors, invalidValue(field, name, "must be a standard resource for quota")];
}
