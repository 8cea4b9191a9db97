// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../model/subject.ts";
import type { ResourceAttributes } from "./attributes.ts";
import { mastersGroup } from "./authorizer-chain.ts";
import type { BindingRules, Policy } from "./policy.ts";
import type { PolicyRule } from "./rbac-types.ts";
import { ruleGrantsResource } from "./rule-match.ts";
import type { ReadVerb, VisibilityScope } from "./visibility-requests.ts";

/** What a user may see of one resource in one cluster: `all` objects, `none`, or `some` by namespace and name. */
export type Visibility = { readonly kind: "all" } | { readonly kind: "none" } | PartialVisibility;

/** An object is visible if any of the four sets contains it. */
export interface PartialVisibility {
  readonly kind: "some";
  /** Names that are visible in any namespace and at cluster scope. */
  readonly names: ReadonlySet<string>;
  /** Namespaces in which every object is visible. */
  readonly namespaces: ReadonlySet<string>;
  /** Names visible in one namespace. Namespaces in `namespaces` are not listed here. */
  readonly namesIn: ReadonlyMap<string, ReadonlySet<string>>;
  /** Cluster-scoped Namespace objects that are visible through a RoleBinding inside them. */
  readonly namespaceObjects: ReadonlySet<string>;
}

type Names = "all" | ReadonlySet<string>;

const noNames: ReadonlySet<string> = new Set();

/** The union of name sets. Adding is linear in what is added. */
class NameUnion {
  readonly #names = new Set<string>();
  #hasAll = false;

  add(names: Names | readonly string[]): void {
    if (names === "all") this.#hasAll = true;
    else for (const name of names) this.#names.add(name);
  }

  get names(): Names {
    return this.#hasAll ? "all" : this.#names;
  }
}

function requestOf(scope: VisibilityScope, apiGroup: string, verb: ReadVerb): ResourceAttributes {
  return { kind: "resource", verb, apiGroup, resource: scope.resource, subresource: "", namespace: "", name: "" };
}

/**
 * The names that a rule makes visible. With `unnamedToo`, permission for the unnamed list or watch makes all names
 * visible.
 */
function namesOfRule(
  rule: PolicyRule,
  requests: readonly ResourceAttributes[],
  unnamedToo: boolean,
): "all" | readonly string[] {
  const granted = requests.filter((request) => ruleGrantsResource(rule, request));
  if (granted.length === 0) return [];
  if (rule.resourceNames.length === 0) return "all";
  const unnamed = unnamedToo && rule.resourceNames.includes("") && granted.some((request) => request.verb !== "get");
  return unnamed ? "all" : rule.resourceNames;
}

/** Computes what roles make visible. A role is evaluated once, however many bindings reference it. */
class RoleReader {
  readonly #requests: readonly ResourceAttributes[];
  readonly #unnamedToo: boolean;
  readonly #byRules = new Map<readonly PolicyRule[], Names>();

  constructor(scope: VisibilityScope, verbs: readonly ReadVerb[], unnamedToo: boolean) {
    this.#requests = verbs.flatMap((verb) => scope.apiGroups.map((apiGroup) => requestOf(scope, apiGroup, verb)));
    this.#unnamedToo = unnamedToo;
  }

  namesOf(given: Iterable<BindingRules>): Names {
    const union = new NameUnion();
    for (const each of given) {
      if ("rules" in each) union.add(this.#namesOfRules(each.rules));
      if (union.names === "all") break;
    }
    return union.names;
  }

  #namesOfRules(rules: readonly PolicyRule[]): Names {
    const known = this.#byRules.get(rules);
    if (known !== undefined) return known;
    const union = new NameUnion();
    for (const rule of rules) union.add(namesOfRule(rule, this.#requests, this.#unnamedToo));
    this.#byRules.set(rules, union.names);
    return union.names;
  }
}

/**
 * Namespaces whose own object is visible through a RoleBinding inside them. Only requests by path can do that, so never
 * `list`.
 */
function namespaceObjectsOf(policy: Policy, user: Subject, scope: VisibilityScope): ReadonlySet<string> {
  if (scope.resource !== "namespaces") return noNames;
  const byPath = scope.verbs.filter((verb) => verb !== "list");
  const reader = new RoleReader(scope, byPath, false);
  const shown = new Set<string>();
  for (const namespace of policy.namespacesOf(user)) {
    const names = reader.namesOf(policy.rulesIn(user, namespace));
    if (names === "all" || names.has(namespace)) shown.add(namespace);
  }
  return shown;
}

/**
 * What `user` may see of one resource under `policy`, as the cluster's own chain decides (`system:masters`, then RBAC).
 * Equivalent to evaluating the authorizer for each of `requestsFor`. The result is a snapshot: compile again after a
 * policy change. Roles that do not exist make nothing visible.
 */
export function compileVisibility(policy: Policy, user: Subject, scope: VisibilityScope): Visibility {
  if (user.groups.includes(mastersGroup)) return { kind: "all" };
  const reader = new RoleReader(scope, scope.verbs, true);
  const names = reader.namesOf(policy.rulesIn(user, ""));
  if (names === "all") return { kind: "all" };
  const namespaces = new Set<string>();
  const namesIn = new Map<string, ReadonlySet<string>>();
  for (const namespace of policy.namespacesOf(user)) {
    const inside = reader.namesOf(policy.rulesIn(user, namespace));
    if (inside === "all") namespaces.add(namespace);
    else if (inside.size > 0) namesIn.set(namespace, inside);
  }
  const namespaceObjects = namespaceObjectsOf(policy, user, scope);
  const count = names.size + namespaces.size + namesIn.size + namespaceObjects.size;
  return count === 0 ? { kind: "none" } : { kind: "some", names, namespaces, namesIn, namespaceObjects };
}

/** True if the object is visible; the namespace of a cluster-scoped object is empty. */
export function isVisible(visibility: Visibility, namespace: string, name: string): boolean {
  if (visibility.kind !== "some") return visibility.kind === "all";
  if (visibility.names.has(name)) return true;
  if (namespace === "") return visibility.namespaceObjects.has(name);
  return visibility.namespaces.has(namespace) || visibility.namesIn.get(namespace)?.has(name) === true;
}
