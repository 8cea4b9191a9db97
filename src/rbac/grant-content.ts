// SPDX-License-Identifier: Apache-2.0
import type { GrantScopes, RuleList } from "./grant-scopes.ts";

/**
 * Grants as a text that depends on their content alone: equal for equal grants of two moments, clusters or processes.
 * The order in which bindings were read does not matter.
 */
export function grantContent({ isMaster, ruleLists, everywhere, inside }: GrantScopes): string {
  const texts = ruleLists.map(rulesText);
  const roles = [...new Set(texts)].sort();
  const placeOf = new Map(roles.map((text, place) => [text, place]));
  const placesOf = (lists: readonly number[]): string =>
    [...new Set(lists.map((list) => placeOf.get(texts[list] ?? "") ?? 0))].sort((a, b) => a - b).join();
  const namespaced = inside.flatMap(({ namespaces, roles: lists }) => {
    const places = placesOf(lists);
    return Array.from(namespaces, (namespace) => `${namespace} ${places}`);
  });
  return JSON.stringify([isMaster, roles, placesOf(everywhere), namespaced.sort()]);
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
