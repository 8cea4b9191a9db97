// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, getKey, type JsonObject, setKey } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import type { ObjectReader } from "../../resources/object-reader.ts";
import { isSet, pointedNumber, setIfAbsent } from "../checks/object-fields.ts";
import { systemPriorities } from "../scheduling/priority-class.ts";
import { refusedByAdmission } from "./admission-refusal.ts";

/** kube-apiserver's default `tolerationSeconds` for nodes that are not ready or unreachable. */
const defaultTolerationSeconds = 300;

const nodeTroubles = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/**
 * Sets priority and preemption policy of a new Pod from its PriorityClass, or from the default class. Throws an
 * ApiError if the class does not exist or the Pod's own values differ from it.
 */
export function admitPriority(pod: DraftObject, objects: ObjectReader): void {
  const spec = ensureObject(pod, "spec");
  const { name, value, preemptionPolicy } = establishPriority(pod, objects);
  const given = pointedNumber(spec, "priority");
  if (given !== undefined && Number(given) !== value)
    throw refusedByAdmission(
      "pods",
      pod,
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  const policy = getKey(spec, "preemptionPolicy");
  if (typeof policy === "string" && policy !== preemptionPolicy)
    throw refusedByAdmission(
      "pods",
      pod,
      `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  if (name !== "") spec["priorityClassName"] = name;
  spec["priority"] = value;
  spec["preemptionPolicy"] = preemptionPolicy;
}

/** Restores priority and preemption policy, which admission set at creation, if an update omits them. */
export function keepPriority(pod: DraftObject, old: JsonObject): void {
  const oldSpec = objectAt(old, "spec") ?? {};
  for (const key of ["priority", "preemptionPolicy"]) {
    const value = getKey(oldSpec, key);
    if (typeof value === "number" || typeof value === "string") setIfAbsent(ensureObject(pod, "spec"), key, value);
  }
}

/** Adds tolerations for nodes that are not ready or unreachable, unless the Pod has its own. */
export function admitTolerations(pod: DraftObject): void {
  const spec = ensureObject(pod, "spec");
  const tolerations = objectsAt(spec, "tolerations");
  const missing = nodeTroubles.filter(
    (trouble) =>
      !tolerations.some((toleration) => {
        const key = textOf(toleration, "key");
        const effect = textOf(toleration, "effect");
        return (key === "" || key === trouble) && (effect === "" || effect === "NoExecute");
      }),
  );
  if (missing.length === 0) return;
  spec["tolerations"] = [
    ...tolerations,
    ...missing.map((key) => ({
      key,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: defaultTolerationSeconds,
    })),
  ];
}

/**
 * Adds a selector requirement with the Pod's own label value for each of its `matchLabelKeys` and `mismatchLabelKeys`.
 */
export function mergeMatchLabelKeys(pod: DraftObject): void {
  const spec = ensureObject(pod, "spec");
  const labels = objectAt(pod, "metadata", "labels") ?? {};
  for (const kind of ["podAffinity", "podAntiAffinity"]) {
    const affinity = objectAt(spec, "affinity", kind) ?? {};
    for (const weighted of objectsAt(affinity, "preferredDuringSchedulingIgnoredDuringExecution"))
      mergeKeys(objectAt(weighted, "podAffinityTerm") ?? {}, labels);
    for (const term of objectsAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution")) mergeKeys(term, labels);
  }
  for (const constraint of objectsAt(spec, "topologySpreadConstraints")) mergeKeys(constraint, labels);
}

function mergeKeys(holder: DraftObject, labels: JsonObject): void {
  const selector = objectAt(holder, "labelSelector");
  if (selector === undefined) return;
  const added = [
    ...textsAt(holder, "matchLabelKeys").map((key) => ({ key, operator: "In" })),
    ...textsAt(holder, "mismatchLabelKeys").map((key) => ({ key, operator: "NotIn" })),
  ].flatMap(({ key, operator }) => {
    const value = getKey(labels, key);
    return typeof value === "string" ? [{ key, operator, values: [value] }] : [];
  });
  if (added.length > 0) setKey(selector, "matchExpressions", [...objectsAt(selector, "matchExpressions"), ...added]);
}

interface Priority {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

function establishPriority(pod: JsonObject, objects: ObjectReader): Priority {
  const name = textOf(pod, "spec", "priorityClassName");
  const resource = "scheduling.k8s.io/priorityclasses";
  if (name === "") {
    const [lowest] = objects
      .list(resource)
      .filter((each) => getKey(each, "globalDefault") === true)
      .toSorted((a, b) => countOf(a, "value") - countOf(b, "value"));
    return lowest === undefined ? toPriority("", 0, undefined) : ofClass(lowest);
  }
  const found = objects.get(resource, "", name);
  if (found !== undefined) return ofClass(found);
  const system = systemPriorities.get(name);
  if (system === undefined) throw refusedByAdmission("pods", pod, `no PriorityClass with name ${name} was found`);
  return toPriority(name, system, undefined);
}

function ofClass(priorityClass: JsonObject): Priority {
  const policy = isSet(priorityClass, "preemptionPolicy") ? textOf(priorityClass, "preemptionPolicy") : undefined;
  return toPriority(textOf(priorityClass, "metadata", "name"), countOf(priorityClass, "value"), policy);
}

function toPriority(name: string, value: number, policy: string | undefined): Priority {
  return { name, value, preemptionPolicy: policy ?? "PreemptLowerPriority" };
}
