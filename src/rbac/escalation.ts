// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { createRule, type PolicyRule } from "./rbac-types.ts";
import { urlMatches } from "./rule-match.ts";

/**
 * Most combinations that one comparison examines. A body of 3 MiB can hold lists with an astronomic product; a role
 * with thousands is rare.
 */
const maxCombinationCount = 100_000;

/** Most pairs of a combination and a held rule that one comparison examines: a fifth of a second at 100 ns each. */
const maxPairCount = 2_000_000;

/** True if `held` contains `*` or every text of `wanted`. */
function holdsAll(held: readonly string[], wanted: readonly string[]): boolean {
  return held.includes("*") || wanted.every((each) => held.includes(each));
}

function resourceCovered(held: readonly string[], wanted: string): boolean {
  if (held.includes("*") || held.includes(wanted)) return true;
  const slash = wanted.indexOf("/");
  return slash >= 0 && held.includes(`*${wanted.slice(slash)}`);
}

function namesCovered(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.length === 0) return true;
  return wanted.length > 0 && wanted.every((each) => held.includes(each));
}

/** True if `held` alone grants everything that `wanted` grants. */
function ruleCovers(held: PolicyRule, wanted: PolicyRule): boolean {
  return (
    holdsAll(held.verbs, wanted.verbs) &&
    holdsAll(held.apiGroups, wanted.apiGroups) &&
    wanted.resources.every((resource) => resourceCovered(held.resources, resource)) &&
    wanted.nonResourceURLs.every((url) => held.nonResourceURLs.some((each) => urlMatches(each, url))) &&
    namesCovered(held.resourceNames, wanted.resourceNames)
  );
}

/** Splits the rule into rules of one verb, group, resource and at most one name, and rules of one verb and URL. */
function* breakDown(rule: PolicyRule): Generator<PolicyRule> {
  for (const apiGroup of rule.apiGroups) {
    for (const resource of rule.resources) {
      for (const verb of rule.verbs) {
        const single = createRule({ verbs: [verb], apiGroups: [apiGroup], resources: [resource] });
        if (rule.resourceNames.length === 0) yield single;
        for (const name of rule.resourceNames) yield { ...single, resourceNames: [name] };
      }
    }
  }
  for (const url of rule.nonResourceURLs) {
    for (const verb of rule.verbs) yield createRule({ verbs: [verb], nonResourceURLs: [url] });
  }
}

function tooLarge(what: string, maxCount: number): FlotillaError {
  return new FlotillaError(
    "TOO_LARGE",
    `comparing these rules takes over ${maxCount} ${what}; use fewer or wider rules`,
  );
}

/**
 * The parts of `wanted` that no single rule of `held` covers, each as a rule of one combination; empty if all are
 * covered. Several held rules never combine to cover one combination. Throws TOO_LARGE if there is too much to compare.
 */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const uncovered: PolicyRule[] = [];
  let combinationCount = 0;
  let pairCount = 0;
  const isCovered = (combination: PolicyRule): boolean =>
    held.some((each) => {
      pairCount += 1;
      if (pairCount > maxPairCount) throw tooLarge("pairs of rules", maxPairCount);
      return ruleCovers(each, combination);
    });
  for (const rule of wanted) {
    for (const combination of breakDown(rule)) {
      combinationCount += 1;
      if (combinationCount > maxCombinationCount) throw tooLarge("combinations", maxCombinationCount);
      if (!isCovered(combination)) uncovered.push(combination);
    }
  }
  return uncovered;
}
