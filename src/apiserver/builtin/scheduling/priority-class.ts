// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, getKey, type JsonObject } from "../../json/json.ts";
import { countOf, textAt, textOf } from "../../json/json-fields.ts";
import type { Strategy, WriteContext } from "../../resources/strategy.ts";
import { forbidden } from "../../status/api-error.ts";
import { type FieldError, forbiddenField } from "../../status/field-error.ts";
import { immutable } from "../checks/field-checks.ts";
import { setIfAbsent } from "../checks/object-fields.ts";
import { validateChoice } from "../pod-spec/text-rules.ts";

/** The highest priority for user-defined classes. Kubernetes reserves higher ones. */
const maxUserPriority = 1_000_000_000;

const systemPrefix = "system-";

/** The built-in priority classes. They apply to Pods even if no PriorityClass object of that name exists. */
export const systemPriorities: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);

const resource = { group: "scheduling.k8s.io", resource: "priorityclasses" };

function setDefaults(object: DraftObject): void {
  setIfAbsent(object, "preemptionPolicy", "PreemptLowerPriority");
}

function validate(object: JsonObject): readonly FieldError[] {
  const policy = getKey(object, "preemptionPolicy");
  return [
    ...validatePriority(object),
    ...(typeof policy === "string"
      ? validateChoice("preemptionPolicy", policy, ["PreemptLowerPriority", "Never"])
      : []),
  ];
}

function validatePriority(object: JsonObject): readonly FieldError[] {
  const name = textOf(object, "metadata", "name");
  if (name.startsWith(systemPrefix)) {
    const error = systemClassError(object, name);
    if (error === undefined) return [];
    const text = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${error}`;
    return [forbiddenField("metadata.name", text)];
  }
  if (countOf(object, "value") <= maxUserPriority) return [];
  return [forbiddenField("value", `maximum allowed value of a user defined priority is ${maxUserPriority}`)];
}

function systemClassError(object: JsonObject, name: string): string | undefined {
  const value = systemPriorities.get(name);
  if (value === undefined) return `${name} is not a known system priority class`;
  if (countOf(object, "value") !== value) return `value of ${name} PriorityClass must be ${value}`;
  return getKey(object, "globalDefault") === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

/** Throws if another class is already the global default. */
function refuseSecondDefault(object: JsonObject, { objects }: WriteContext): void {
  if (getKey(object, "globalDefault") !== true) return;
  const name = textOf(object, "metadata", "name");
  const other = objects
    .list("scheduling.k8s.io/priorityclasses")
    .find((each) => getKey(each, "globalDefault") === true && textAt(each, "metadata", "name") !== name);
  if (other === undefined) return;
  const taken = textOf(other, "metadata", "name");
  throw forbidden(resource, name, `PriorityClass ${taken} is already marked as default. Only one default can exist`);
}

/** PriorityClasses. Their generation is always 1. */
export const priorityClassStrategy: Strategy = {
  setDefaults,
  prepareForCreate(object, context) {
    refuseSecondDefault(object, context);
    ensureObject(object, "metadata")["generation"] = 1;
  },
  prepareForUpdate(object, old, context) {
    if (getKey(old, "globalDefault") !== true) refuseSecondDefault(object, context);
  },
  validate,
  validateUpdate: (object, old) => [
    ...(countOf(object, "value") === countOf(old, "value")
      ? []
      : [forbiddenField("value", "may not be changed in an update.")]),
    ...immutable(getKey(object, "preemptionPolicy"), getKey(old, "preemptionPolicy"), "preemptionPolicy"),
  ],
};
