// SPDX-License-Identifier: Apache-2.0
// A v1 autoscaler keeps its behavior in an annotation, in kube-apiserver's internal form: the same fields with Go's
// spelling.
import { type Draft, type DraftObject, getKey, isList, isObject, type Json, type JsonObject } from "../../json/json.ts";

const directions = [
  ["scaleUp", "ScaleUp"],
  ["scaleDown", "ScaleDown"],
] as const;
const ruleFields = [
  ["stabilizationWindowSeconds", "StabilizationWindowSeconds"],
  ["selectPolicy", "SelectPolicy"],
  ["policies", "Policies"],
  ["tolerance", "Tolerance"],
] as const;
const policyFields = [
  ["type", "Type"],
  ["value", "Value"],
  ["periodSeconds", "PeriodSeconds"],
] as const;

/** Converts a behavior to the internal form. Undefined if absent. */
export function innerBehavior(behavior: Json | undefined): Json | undefined {
  if (!isObject(behavior)) return undefined;
  return Object.fromEntries(directions.map(([name, inner]) => [inner, innerRules(getKey(behavior, name))]));
}

function innerRules(rules: Json | undefined): Json {
  if (!isObject(rules)) return null;
  return Object.fromEntries(
    ruleFields.map(([name, inner]) => {
      const value = getKey(rules, name) ?? null;
      return [inner, isList(value) ? value.map(innerPolicy) : value];
    }),
  );
}

function innerPolicy(policy: Json): Json {
  if (!isObject(policy)) return null;
  return Object.fromEntries(policyFields.map(([name, inner]) => [inner, getKey(policy, name) ?? null]));
}

/** Converts the internal form back to a behavior. Undefined if it is empty or not an object. */
export function behaviorFromInner(inner: Json | undefined): DraftObject | undefined {
  if (!isObject(inner)) return undefined;
  const behavior: DraftObject = {};
  for (const [name, innerName] of directions) {
    const rules = getKey(inner, innerName);
    if (isObject(rules)) behavior[name] = rulesFromInner(rules);
  }
  return Object.keys(behavior).length === 0 ? undefined : behavior;
}

function rulesFromInner(inner: JsonObject): DraftObject {
  const rules: DraftObject = {};
  for (const [name, innerName] of ruleFields) {
    const value = getKey(inner, innerName) ?? null;
    if (isList(value)) rules[name] = value.filter((item) => isObject(item)).map(policyFromInner);
    else if (typeof value === "number" || typeof value === "string") rules[name] = value;
  }
  return rules;
}

function policyFromInner(inner: JsonObject): Draft {
  const policy: DraftObject = {};
  for (const [name, innerName] of policyFields) {
    const value = getKey(inner, innerName);
    if (typeof value === "number" || typeof value === "string") policy[name] = value;
  }
  return policy;
}
