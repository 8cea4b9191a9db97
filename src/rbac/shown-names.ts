// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import type { ResourceAttributes } from "./attributes.ts";
import type { PolicyRule } from "./rbac-types.ts";
import { ruleGrantsResource } from "./rule-match.ts";
import type { ReadVerb, VisibilityScope } from "./visibility-requests.ts";

/** The names of visible objects: all, or these. The empty text is no object's name and is never among them. */
export type Names = "all" | ReadonlySet<string>;

/** No object. */
export const noNames: ReadonlySet<string> = new Set();

/**
 * Most names that one compiled result may copy. RBAC objects come from a cluster, and each binding to a role with many
 * resource names repeats those names; without a bound a few megabytes of objects could fill the memory of the hub.
 */
export const maxCopiedNames = 1_000_000;

/** Counts the names that one compilation copies. */
export class NameBudget {
  #left: number;

  constructor(maxNames = maxCopiedNames) {
    this.#left = maxNames;
  }

  /** Throws TOO_LARGE when the bound is exceeded. */
  spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new FlotillaError("TOO_LARGE", "the user's rules hold too many resource names");
  }
}

/** The union of name sets. A single non-empty set is returned as it is, so that equal results share one set. */
export function joinNames(parts: readonly Names[], budget: NameBudget): Names {
  if (parts.includes("all")) return "all";
  const filled = parts.filter((part) => part !== "all" && part.size > 0);
  const [first = noNames, second] = filled;
  if (second === undefined) return first;
  const union = new Set<string>();
  for (const part of filled) {
    if (part === "all") continue;
    budget.spend(part.size);
    for (const name of part) union.add(name);
  }
  return union;
}

/** The names in `names` that are not in `others`; `names` itself if that is all of them. */
export function withoutNames(names: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  if (others.size === 0 || names.isDisjointFrom(others)) return names;
  return names.difference(others);
}

/** Requests for any object of the scope, one per verb and API group, without namespace and name. */
export function unnamedRequests(scope: VisibilityScope, verbs: readonly ReadVerb[]): readonly ResourceAttributes[] {
  return verbs.flatMap((verb) =>
    scope.apiGroups.map(
      (apiGroup): ResourceAttributes => ({
        kind: "resource",
        verb,
        apiGroup,
        resource: scope.resource,
        subresource: "",
        namespace: "",
        name: "",
      }),
    ),
  );
}

/**
 * The names that rules make visible to requests of one scope, from `unnamedRequests`. With `unnamedToo`, permission for
 * the unnamed list or watch makes all names visible (RB58).
 */
export function namesShownBy(
  rules: readonly PolicyRule[],
  requests: readonly ResourceAttributes[],
  unnamedToo: boolean,
): Names {
  let shown: Set<string> | undefined;
  const resource = requests[0]?.resource ?? "";
  for (const rule of rules) {
    // Most rules name other resources; this is their whole cost.
    if (!rule.resources.includes(resource) && !rule.resources.includes("*")) continue;
    const granted = requests.filter((request) => ruleGrantsResource(rule, request));
    if (granted.length === 0) continue;
    const { resourceNames } = rule;
    if (resourceNames.length === 0) return "all";
    if (unnamedToo && resourceNames.includes("") && granted.some((request) => request.verb !== "get")) return "all";
    shown ??= new Set();
    for (const name of resourceNames) if (name !== "") shown.add(name);
  }
  return shown ?? noNames;
}
