// SPDX-License-Identifier: Apache-2.0
import type { GrantScopes, RuleList } from "./grant-scopes.ts";

/**
 * Grants as a text that depends on their content alone: equal for equal grants of two moments, clusters or processes.
 * The order in which bindings were read does not matter.
 */
export function grantContent({ isMaster, ruleLists, everywhere, inside }: GrantScopes): string {
  const texts = ruleLists.map(rulesText);
  const rolesText = (roles: readonly number[]): readonly string[] =>
    [...new Set(roles.map((role) => texts[role] ?? ""))].sort();
  const namespaced = inside.flatMap(({ namespaces, roles }) => {
    const text = rolesText(roles);
    return Array.from(namespaces, (namespace) => JSON.stringify([namespace, text]));
  });
  return JSON.stringify([isMaster, rolesText(everywhere), namespaced.sort()]);
}

function rulesText(rules: RuleList): string {
  return JSON.stringify(
    rules.map(({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => [
      verbs,
      apiGroups,
      resources,
      resourceNames,
      nonResourceURLs,
    ]),
  );
}
