// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, ensureObject, isEqualJson, type JsonObject, setKey } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { quoteGo } from "../../json/quote-go.ts";
import type { ObjectReader } from "../../resources/object-reader.ts";
import type { ApiError } from "../../status/api-error.ts";
import { isSet, pointedNumber } from "../checks/object-fields.ts";
import { refusedByAdmission } from "./admission-refusal.ts";

/**
 * Sets overhead and scheduling of a new Pod from its RuntimeClass. Throws an ApiError if the class does not exist or
 * conflicts with the Pod.
 */
export function admitRuntimeClass(pod: DraftObject, objects: ObjectReader): void {
  const spec = ensureObject(pod, "spec");
  const refuse = (because: string): ApiError => refusedByAdmission("pods", pod, because);
  const runtimeClass = findClass(spec, objects, refuse);
  const overhead = objectAt(runtimeClass, "overhead", "podFixed");
  if (overhead !== undefined) {
    if (isSet(spec, "overhead") && !isEqualJson(spec["overhead"], overhead))
      throw refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    spec["overhead"] = copyJson(overhead);
  } else if (isSet(spec, "overhead"))
    throw refuse("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  const scheduling = objectAt(runtimeClass, "scheduling");
  if (scheduling !== undefined) setScheduling(spec, scheduling, refuse);
}

function findClass(spec: JsonObject, objects: ObjectReader, refuse: (because: string) => ApiError): JsonObject {
  if (!isSet(spec, "runtimeClassName")) return {};
  const name = textOf(spec, "runtimeClassName");
  const found = objects.get("node.k8s.io/runtimeclasses", "", name);
  if (found === undefined) throw refuse(`pod rejected: RuntimeClass ${quoteGo(name)} not found`);
  return found;
}

function setScheduling(spec: DraftObject, scheduling: JsonObject, refuse: (because: string) => ApiError): void {
  const wanted = objectAt(scheduling, "nodeSelector") ?? {};
  for (const key of Object.keys(wanted)) {
    const value = textOf(wanted, key);
    const selector = ensureObject(spec, "nodeSelector");
    const own = textOf(selector, key);
    if (Object.hasOwn(selector, key) && own !== value)
      throw refuse(
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    setKey(selector, key, value);
  }
  const tolerations = mergeTolerations([...objectsAt(spec, "tolerations"), ...objectsAt(scheduling, "tolerations")]);
  if (tolerations.length > 0) spec["tolerations"] = tolerations.map((each) => copyJson(each));
}

/** Drops each toleration that another one covers. Of equal ones, the first remains. */
function mergeTolerations(all: readonly JsonObject[]): readonly JsonObject[] {
  const merged: JsonObject[] = [];
  for (const [index, each] of all.entries()) {
    const isCovered =
      merged.some((kept) => covers(kept, each)) ||
      all.slice(index + 1).some((later) => !isEqualJson(later, each) && covers(later, each));
    if (!isCovered) merged.push(each);
  }
  return merged;
}

/** Whether `wide` tolerates every taint that `narrow` tolerates. */
function covers(wide: JsonObject, narrow: JsonObject): boolean {
  if (isEqualJson(wide, narrow)) return true;
  const [key, operator, effect] = [textOf(wide, "key"), textOf(wide, "operator"), textOf(wide, "effect")];
  if (textOf(narrow, "key") !== key && (key !== "" || operator !== "Exists")) return false;
  if (effect !== "" && textOf(narrow, "effect") !== effect) return false;
  const seconds = pointedNumber(wide, "tolerationSeconds");
  const narrowSeconds = pointedNumber(narrow, "tolerationSeconds");
  if (effect === "NoExecute" && seconds !== undefined && (narrowSeconds === undefined || narrowSeconds > seconds))
    return false;
  if (operator === "Exists") return true;
  const isEqualOperator = operator === "" || operator === "Equal";
  return isEqualOperator && textOf(narrow, "operator") === "Equal" && textOf(narrow, "value") === textOf(wide, "value");
}
