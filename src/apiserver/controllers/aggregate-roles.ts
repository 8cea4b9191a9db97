// SPDX-License-Identifier: Apache-2.0
// ClusterRoles that gather the rules of others by label: `aggregationRule`.

import type { Controller } from "../../controllers/run-controller.ts";
import { copyJson, isEqualJson, isObject, type Json, type JsonObject, listAt, textAt, valueAt } from "../json/json.ts";
import { createLabelMatcher } from "../metadata/label-selector-object.ts";
import type { ObjectChange } from "../resources/object-reader.ts";
import type { ClusterClient } from "./cluster-client.ts";

const clusterRoles = "rbac.authorization.k8s.io/clusterroles";

/** Keeps the rules of every ClusterRole with an `aggregationRule` equal to those it selects. */
export function createRoleAggregator(client: ClusterClient): Controller<ObjectChange> {
  const listAggregated = (): readonly string[] =>
    client.objects
      .list(clusterRoles)
      .filter(isAggregated)
      .map((role) => nameOf(role));
  return {
    name: "cluster role aggregation",
    keys: listAggregated,
    // Any role may be selected by any other: there are few, so all are looked at.
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
 * The rules of an aggregated role: those of the roles that each selector selects, by name, each rule once. `roles` are all ClusterRoles, in the order of
 * their names.
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

/** True for a ClusterRole whose rules are those of others. */
export function isAggregated(role: JsonObject): boolean {
  return isObject(valueAt(role, "aggregationRule"));
}

function rulesOf(role: JsonObject): readonly Json[] {
  return listAt(role, "rules") ?? [];
}

/** The same text for rules that say the same: an empty list says as much as none. */
function ruleIdentity(rule: Json): string {
  const lists = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"];
  return JSON.stringify(lists.map((name) => listAt(rule, name) ?? []));
}

function nameOf(role: JsonObject): string {
  return textAt(role, "metadata", "name") ?? "";
}
