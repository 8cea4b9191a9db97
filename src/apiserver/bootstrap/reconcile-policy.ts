// SPDX-License-Identifier: Apache-2.0
// Reconciles existing roles and bindings, of an older version or changed by users, with the bootstrap policy: adds
// missing parts and keeps additional ones.

import { uncoveredRules } from "../../rbac/escalation.ts";
import { parseClusterRole } from "../../rbac/rbac-parse.ts";
import type { PolicyRule } from "../../rbac/rbac-types.ts";
import {
  copyJson,
  type DraftObject,
  deleteKey,
  ensureObject,
  getKey,
  isEqualJson,
  type Json,
  type JsonObject,
  setKey,
} from "../json/json.ts";
import { listAt, objectAt, textAt, valueAt } from "../json/json-fields.ts";

const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

/** Whether the user disabled updates of the object by this annotation. */
export function isProtected(object: JsonObject): boolean {
  return getKey(objectAt(object, "metadata", "annotations") ?? {}, autoUpdate) === "false";
}

/**
 * Adds the missing parts of a Role or ClusterRole. Changes nothing if none is missing, except that an unexpected
 * aggregationRule is removed.
 */
export function reconcileRole(draft: DraftObject, expected: JsonObject): void {
  addMetadata(draft, expected);
  const missing = missingRules(draft, expected);
  if (missing.length > 0) draft["rules"] = [...(listAt(draft, "rules") ?? []), ...missing.map(toJson)];
  const wanted = listAt(expected, "aggregationRule", "clusterRoleSelectors");
  if (wanted === undefined) {
    if (valueAt(draft, "aggregationRule") !== undefined) deleteKey(draft, "aggregationRule");
    return;
  }
  const had = listAt(draft, "aggregationRule", "clusterRoleSelectors") ?? [];
  const lacking = notIn(had, wanted);
  if (lacking.length > 0)
    ensureObject(draft, "aggregationRule")["clusterRoleSelectors"] = [...had, ...lacking.map((each) => copyJson(each))];
}

/** Adds the missing parts of a binding. The roleRef is immutable: the caller compares it first. */
export function reconcileBinding(draft: DraftObject, expected: JsonObject): void {
  addMetadata(draft, expected);
  const had = listAt(draft, "subjects") ?? [];
  const lacking = notIn(had, listAt(expected, "subjects") ?? []);
  if (lacking.length > 0) draft["subjects"] = [...had, ...lacking.map((each) => copyJson(each))];
}

/** Adds missing labels and annotations; keeps existing values. */
function addMetadata(draft: DraftObject, expected: JsonObject): void {
  for (const part of ["labels", "annotations"]) {
    const lacking = Object.entries(objectAt(expected, "metadata", part) ?? {}).filter(
      ([key]) => textAt(draft, "metadata", part, key) === undefined,
    );
    if (lacking.length === 0) continue;
    const target = ensureObject(ensureObject(draft, "metadata"), part);
    for (const [key, value] of lacking) setKey(target, key, copyJson(value));
  }
}

function missingRules(existing: JsonObject, expected: JsonObject): readonly PolicyRule[] {
  if (isEqualJson(listAt(existing, "rules"), listAt(expected, "rules"))) return [];
  return uncoveredRules(rulesOf(existing), rulesOf(expected));
}

function rulesOf(role: JsonObject): readonly PolicyRule[] {
  const rules = listAt(role, "rules") ?? [];
  const { metadata = {} } = role;
  return parseClusterRole({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata, rules }).rules;
}

function toJson({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): DraftObject {
  const lists = { verbs, apiGroups, resources, resourceNames, nonResourceURLs };
  return Object.fromEntries(
    Object.entries(lists).flatMap(([key, list]) => (list.length > 0 ? [[key, [...list]]] : [])),
  );
}

function notIn(had: readonly Json[], wanted: readonly Json[]): readonly Json[] {
  return wanted.filter((each) => !had.some((other) => isEqualJson(other, each)));
}
