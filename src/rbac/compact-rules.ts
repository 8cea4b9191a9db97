// SPDX-License-Identifier: Apache-2.0
import type { PolicyRule } from "./rbac-types.ts";

/** One API group, one resource, at most one name, nothing else but verbs. */
function isSimple(rule: PolicyRule): boolean {
  return (
    rule.apiGroups.length === 1 &&
    rule.resources.length === 1 &&
    rule.resourceNames.length <= 1 &&
    rule.nonResourceURLs.length === 0
  );
}

/**
 * Fewer rules that grant the same: simple rules of one group, resource and name become one, at the place of the first. Verbs are put one
 * after the other, repeated ones too, as kube-apiserver does. Every other rule stays as it is.
 */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const verbsOf = new Map<string, string[]>();
  const compacted: PolicyRule[] = [];
  for (const rule of rules) {
    if (!isSimple(rule)) {
      compacted.push(rule);
      continue;
    }
    const what = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const known = verbsOf.get(what);
    const verbs = known ?? [];
    for (const verb of rule.verbs) verbs.push(verb);
    if (known !== undefined) continue;
    verbsOf.set(what, verbs);
    compacted.push({ ...rule, verbs });
  }
  return compacted;
}
