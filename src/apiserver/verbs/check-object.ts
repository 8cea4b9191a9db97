// SPDX-License-Identifier: Apache-2.0
import { type JsonObject, objectAt, textAt } from "../json/json.ts";
import { dnsSubdomainErrors, type NameRule, pathSegmentErrors } from "../metadata/name-rules.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../metadata/object-meta.ts";
import type { Resource } from "../resources/resource.ts";
import { invalid } from "../status/api-error.ts";
import type { FieldError } from "../status/field-error.ts";

/** Throws Invalid if a new object breaks a rule of its kind, or else one that holds for every kind. */
export function checkNew(resource: Resource, object: JsonObject): void {
  throwIfWrong(resource, object, ownErrors(resource, object));
  throwIfWrong(resource, object, metadataErrors(resource, object, pathSegmentErrors));
}

/** Throws Invalid if the object, or the change from the one before, breaks a rule. The real server asks every kind after what holds for all, so some is told twice. */
export function checkChanged(resource: Resource, object: JsonObject, old: JsonObject): void {
  const { strategy } = resource;
  const own = ownErrors(resource, object);
  const ofChange = strategy.validateUpdate?.(object, old) ?? [];
  throwIfWrong(resource, object, [
    ...commonErrors(resource, object, old),
    ...(strategy.checksChangeFirst === true ? [...ofChange, ...own] : [...own, ...ofChange]),
  ]);
}

/** The same for a subresource, whose rules are fewer. */
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

/** The same for the status subresource. */
export function checkChangedStatus(resource: Resource, object: JsonObject, old: JsonObject): void {
  checkChangedPart(resource, object, old, "status");
}

/** What is checked of every kind before it is asked itself; what is wrong with the change is told twice. */
function commonErrors(resource: Resource, object: JsonObject, old: JsonObject): readonly FieldError[] {
  const ofChange = validateObjectMetaUpdate(objectAt(object, "metadata") ?? {}, objectAt(old, "metadata") ?? {});
  return [...metadataErrors(resource, object, pathSegmentErrors), ...ofChange, ...ofChange];
}

function ownErrors(resource: Resource, object: JsonObject): readonly FieldError[] {
  const { strategy, isCustom } = resource;
  const ofMetadata = metadataErrors(resource, object, strategy.nameErrors ?? dnsSubdomainErrors, !isCustom);
  const others = [...(resource.schemaErrors?.(object) ?? []), ...(strategy.validate?.(object) ?? [])];
  // Kinds may repeat what the shared rules say.
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
  // Events are those of the core group, whichever group serves them.
  const group = facts.group === "events.k8s.io" ? "" : facts.group;
  throw invalid({ group, kind: facts.kind }, textAt(object, "metadata", "name") ?? "", errors);
}
