// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../json/json.ts";
import { objectAt, textAt } from "../json/json-fields.ts";
import { dnsSubdomainErrors, type NameRule, pathSegmentErrors } from "../metadata/name-rules.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../metadata/object-meta.ts";
import type { Resource } from "../resources/resource.ts";
import { invalid } from "../status/api-error.ts";
import type { FieldError } from "../status/field-error.ts";

/** Throws Invalid if a new object breaks a rule of its kind, or, if it breaks none, a rule common to all kinds. */
export function checkNew(resource: Resource, object: JsonObject): void {
  throwIfWrong(resource, object, ownErrors(resource, object));
  throwIfWrong(resource, object, metadataErrors(resource, object, pathSegmentErrors));
}

/**
 * Throws Invalid if the object, or its change from `old`, breaks a rule. As in kube-apiserver, a kind's own rules
 * follow the common ones and may repeat their errors.
 */
export function checkChanged(resource: Resource, object: JsonObject, old: JsonObject): void {
  const { strategy } = resource;
  const own = ownErrors(resource, object);
  const ofChange = strategy.validateUpdate?.(object, old) ?? [];
  throwIfWrong(resource, object, [
    ...commonErrors(resource, object, old),
    ...(strategy.checksChangeFirst === true ? [...ofChange, ...own] : [...own, ...ofChange]),
  ]);
}

/** As `checkChanged`, for a subresource, which has fewer rules. */
export function checkChangedPart(
  resource: Resource,
  object: JsonObject,
  old: JsonObject,
  part: "status" | "finalize",
): void {
  const { strategy } = resource;
  const validate = part === "status" ? strategy.validateStatusUpdate : strategy.validateFinalizeUpdate;
  throwIfWrong(resource, object, [
    ...commonErrors(resource, object, old),
    ...(resource.schemaErrors?.(object) ?? []),
    ...(validate?.(object, old) ?? []),
  ]);
}

/** Errors of the rules common to all kinds. Errors of the metadata's change appear twice, as in kube-apiserver. */
function commonErrors(resource: Resource, object: JsonObject, old: JsonObject): readonly FieldError[] {
  const ofChange = validateObjectMetaUpdate(objectAt(object, "metadata") ?? {}, objectAt(old, "metadata") ?? {});
  return [...metadataErrors(resource, object, pathSegmentErrors), ...ofChange, ...ofChange];
}

function ownErrors(resource: Resource, object: JsonObject): readonly FieldError[] {
  const { strategy, isCustom } = resource;
  const ofMetadata = metadataErrors(resource, object, strategy.nameErrors ?? dnsSubdomainErrors, !isCustom);
  const others = [...(resource.schemaErrors?.(object) ?? []), ...(strategy.validate?.(object) ?? [])];
  // A kind's rules may repeat errors of the common ones.
  const isRepeated = (error: FieldError): boolean =>
    ofMetadata.some(({ field, text }) => field === error.field && text === error.text);
  return ofMetadata.length === 0 ? others : [...ofMetadata, ...others.filter((error) => !isRepeated(error))];
}

function metadataErrors(
  { facts }: Resource,
  object: JsonObject,
  nameErrors: NameRule,
  builtin = false,
): readonly FieldError[] {
  return validateObjectMeta(objectAt(object, "metadata") ?? {}, {
    namespaced: facts.namespaced,
    nameErrors,
    builtin,
    field: "metadata",
  });
}

function throwIfWrong({ facts }: Resource, object: JsonObject, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  // kube-apiserver names the core group for Events of either group.
  const group = facts.group === "events.k8s.io" ? "" : facts.group;
  throw invalid({ group, kind: facts.kind }, textAt(object, "metadata", "name") ?? "", errors);
}
