// SPDX-License-Identifier: Apache-2.0
import type { PolicyRule } from "./rbac-types.ts";

/** True for a rule with one API group, one resource, at most one name and no URLs. */
function isSimple(rule: PolicyRule): boolean {
  return (
    rule.apiGroups.length === 1 &&
    rule.resources.length === 1 &&
    rule.resourceNames.length <= 1 &&
    rule.nonResourceURLs.length === 0
  );
}

/**
 * Fewer rules that grant the same. Simple rules of one group, resource and name are merged at the place of the first.
 * Their verbs are concatenated, duplicates included, as in kube-apiserver. Other rules stay unchanged.
 */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, string[]>();
  const compacted: PolicyRule[] = [];
  for (const rule of rules) {
    if (!isSimple(rule)) {
      compacted.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const known = verbsOf.get(key);
    const verbs = known ?? [];
    for (const verb of rule.verbs) verbs.push(verb);
    if (known !== undefined) continue;
    verbsOf.set(key, verbs);
    compacted.push({ ...rule, verbs });
  }
  return compacted;
}
