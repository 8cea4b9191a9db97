// SPDX-License-Identifier: Apache-2.0
// ClusterRoles that aggregate the rules of others by label: `aggregationRule`.

import type { Controller } from "../../controllers/run-controller.ts";
import { copyJson, isEqualJson, isObject, type Json, type JsonObject } from "../json/json.ts";
import { listAt, textAt, valueAt } from "../json/json-fields.ts";
import { createLabelMatcher } from "../metadata/label-selector-object.ts";
import type { ObjectChange } from "../resources/object-reader.ts";
import type { ClusterClient } from "./cluster-client.ts";

const clusterRoles = "rbac.authorization.k8s.io/clusterroles";

/** Keeps the rules of every ClusterRole with an `aggregationRule` equal to those of the roles it selects. */
export function createRoleAggregator(client: ClusterClient): Controller<ObjectChange> {
  const listAggregated = (): readonly string[] =>
    client.objects
      .list(clusterRoles)
      .filter(isAggregated)
      .map((role) => nameOf(role));
  return {
    name: "cluster role aggregation",
    keys: listAggregated,
    // Any role may select any other. There are few roles, so all are reconciled.
    keysOf: ({ resource }) => (resource === clusterRoles ? listAggregated() : []),
    async reconcile(name) {
      const role = client.objects.get(clusterRoles, "", name);
      if (role === undefined || !isAggregated(role)) return {};
      if (isEqualJson(aggregateRules(role, client.objects.list(clusterRoles)), rulesOf(role))) return {};
      await client.update({ resource: clusterRoles, namespace: "", name }, (draft) => {
        if (isAggregated(draft)) draft["rules"] = copyJson(aggregateRules(draft, client.objects.list(clusterRoles)));
      });
      return {};
    },
  };
}

/**
 * The rules of an aggregated role: the rules of the roles that each selector matches, ordered by name, without
 * duplicates. `roles` are all ClusterRoles, sorted by name.
 */
export function aggregateRules(role: JsonObject, roles: readonly JsonObject[]): readonly Json[] {
  const seen = new Set<string>();
  const rules: Json[] = [];
  for (const selector of listAt(role, "aggregationRule", "clusterRoleSelectors") ?? []) {
    const isSelected = createLabelMatcher(selector);
    for (const other of roles) {
      if (nameOf(other) === nameOf(role) || !isSelected(valueAt(other, "metadata", "labels"))) continue;
      for (const rule of rulesOf(other)) {
        const identity = ruleIdentity(rule);
        if (seen.has(identity)) continue;
        seen.add(identity);
        rules.push(rule);
      }
    }
  }
  return rules;
}

/** Whether the ClusterRole has an aggregation rule. */
export function isAggregated(role: JsonObject): boolean {
  return isObject(valueAt(role, "aggregationRule"));
}

function rulesOf(role: JsonObject): readonly Json[] {
  return listAt(role, "rules") ?? [];
}

/** The same text for equivalent rules. An empty list equals an absent one. */
function ruleIdentity(rule: Json): string {
  const lists = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"];
  return JSON.stringify(lists.map((name) => listAt(rule, name) ?? []));
}

function nameOf(role: JsonObject): string {
  return textAt(role, "metadata", "name") ?? "";
}
