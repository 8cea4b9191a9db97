// SPDX-License-Identifier: Apache-2.0
import {
  copyJson,
  type DraftObject,
  deleteKey,
  ensureObject,
  getKey,
  isEqualJson,
  type JsonObject,
} from "../../json/json.ts";
import { objectAt, objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import { labelKeyErrors, labelValueErrors, sortedKeys } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { keepStatus } from "../checks/status-checks.ts";
import { validateCidr } from "../pod-spec/ip-address.ts";
import { roundResourceList } from "../pod-spec/quantity-value.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";
import { validateQuantity } from "../pod-spec/validate-resources.ts";
import { taintEffects } from "../pod-spec/validate-scheduling.ts";

/** Added to each new node; stays until the node is found ready. */
const notReadyTaint: JsonObject = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

/** Nodes. Unlike for other kinds, a client may set the status at creation: kubelets do. */
export const nodeStrategy: Strategy = {
  setDefaults(object) {
    mirrorPodCidr(objectAt(object, "spec"));
    const status = objectAt(object, "status");
    if (status === undefined) return;
    const capacity = objectAt(status, "capacity");
    if (capacity !== undefined && objectAt(status, "allocatable") === undefined)
      status["allocatable"] = copyJson(capacity);
    roundResourceList(capacity);
    roundResourceList(objectAt(status, "allocatable"));
  },
  prepareForCreate(object) {
    const spec = ensureObject(object, "spec");
    deleteKey(spec, "configSource");
    addNotReadyTaint(spec);
  },
  prepareForUpdate: keepStatus,
  validate: (object) => [...validateTaints(object), ...validateAmounts(object), ...validateCidrs(object)],
  validateUpdate: validateNodeUpdate,
  validateStatusUpdate: (object, old) => [...validateAmounts(object), ...validateNodeUpdate(object, old)],
  warnings: (object) =>
    textOf(object, "spec", "externalID") === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"],
  selectableFieldNames: ["spec.unschedulable"],
  selectableFields: (object) => ({
    "spec.unschedulable": String(getKey(objectAt(object, "spec") ?? {}, "unschedulable") === true),
  }),
};

/** `podCIDR` mirrors the first of `podCIDRs`. If they differ, `podCIDR` replaces the list. */
function mirrorPodCidr(spec: DraftObject | undefined): void {
  if (spec === undefined) return;
  const cidr = textOf(spec, "podCIDR");
  const [first] = textsAt(spec, "podCIDRs");
  if (cidr !== "" && cidr !== first) spec["podCIDRs"] = [cidr];
  else if (cidr === "" && first !== undefined) spec["podCIDR"] = first;
}

function addNotReadyTaint(spec: DraftObject): void {
  const taints = objectsAt(spec, "taints");
  const isTainted = taints.some((taint) =>
    ["key", "effect"].every((key) => textOf(taint, key) === textOf(notReadyTaint, key)),
  );
  if (!isTainted) spec["taints"] = [...taints, copyJson(notReadyTaint)];
}

/** Errors name the field `metadata.taints`, as in kube-apiserver. */
function validateTaints(object: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(object, "spec", "taints").flatMap((taint, index) => {
    const at = `metadata.taints[${index}]`;
    const key = textOf(taint, "key");
    const value = textOf(taint, "value");
    const effect = textOf(taint, "effect");
    const errors = [...invalidEach(`${at}.key`, key, labelKeyErrors(key))];
    const wrong = labelValueErrors(value);
    if (wrong.length > 0) errors.push(invalidValue(`${at}.value`, value, wrong.join(";")));
    if (effect === "") errors.push(requiredValue(`${at}.effect`));
    else if (!taintEffects.includes(effect)) errors.push(notSupportedValue(`${at}.effect`, effect, taintEffects));
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) {
      const repeated = duplicateValue(at, {
        Key: key,
        Value: value,
        Effect: effect,
        TimeAdded: getKey(taint, "timeAdded") ?? null,
      });
      errors.push({ ...repeated, text: `${repeated.text}: taints must be unique by key and effect pair` });
    }
    seen.add(pair);
    return errors;
  });
}

function validateAmounts(object: JsonObject): readonly FieldError[] {
  return ["capacity", "allocatable"].flatMap((list) => {
    const amounts = objectAt(object, "status", list) ?? {};
    return sortedKeys(amounts).flatMap((name) =>
      validateQuantity(name, textOf(amounts, name), `status.${list}.${name}`),
    );
  });
}

function validateCidrs(object: JsonObject): readonly FieldError[] {
  const cidrs = textsAt(object, "spec", "podCIDRs");
  const errors = cidrs.flatMap((cidr, index) => validateCidr(`spec.podCIDRs[${index}]`, cidr));
  const families = new Set(cidrs.map((cidr) => cidr.includes(":")));
  if (errors.length > 0 || families.size === cidrs.length) return errors;
  return [invalidValue("spec.podCIDRs", [...cidrs], "may specify no more than one CIDR for each IP family")];
}

function validateNodeUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const addresses: JsonObject[] = [];
  objectsAt(object, "status", "addresses").forEach((address, index) => {
    if (addresses.some((other) => isEqualJson(other, address)))
      errors.push(duplicateValue(`status.addresses[${index}]`, address));
    addresses.push(address);
  });
  const oldCidrs = textsAt(old, "spec", "podCIDRs");
  if (oldCidrs.length > 0 && !isEqualJson([...oldCidrs], [...textsAt(object, "spec", "podCIDRs")]))
    errors.push(forbiddenField("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  const oldProvider = textOf(old, "spec", "providerID");
  if (oldProvider !== "" && oldProvider !== textOf(object, "spec", "providerID"))
    errors.push(forbiddenField("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  if (textOf(old, "spec", "externalID") !== textOf(object, "spec", "externalID"))
    errors.push(forbiddenField("spec.externalID", "may not be updated"));
  return errors;
}
