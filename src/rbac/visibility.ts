// SPDX-License-Identifier: Apache-2.0
import { type GrantScopes } from "./grant-scopes.ts";
import {
  joinNames,
  NameBudget,
  type Names,
  namesShownBy,
  noNames,
  unnamedRequests,
  withoutNames,
} from "./shown-names.ts";
import type { VisibilityScope } from "./visibility-requests.ts";

/** What a user may see of one resource in one cluster: `all` objects, `none`, or `some` by namespace and name. */
export type Visibility = { readonly kind: "all" } | { readonly kind: "none" } | PartialVisibility;

/**
 * An object is visible if any of the four sets contains it. At least one of them is not empty. A name in `names` is in
 * no other set of names, so that two values that show the same objects have equal sets.
 */
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

/** Every object. */
const allVisible: Visibility = { kind: "all" };

/** No object. */
export const noneVisible: Visibility = { kind: "none" };

/** `none` if all four sets are empty. */
export function createVisibility(sets: Omit<PartialVisibility, "kind">): Visibility {
  const count = sets.names.size + sets.namespaces.size + sets.namesIn.size + sets.namespaceObjects.size;
  return count === 0 ? noneVisible : { kind: "some", ...sets };
}

/**
 * Compiles the grants of one user for one resource after the other. A role is evaluated once per resource, however many
 * bindings reference it, and resources to which the same roles apply without resource names share one result.
 */
export class VisibilityCompiler {
  readonly #grants: GrantScopes;
  readonly #maxNames: number | undefined;
  /** By the roles that show everything in their scope. */
  readonly #shared = new Map<string, Visibility>();

  constructor(grants: GrantScopes, maxNames?: number) {
    this.#grants = grants;
    this.#maxNames = maxNames;
  }

  /** Equivalent to evaluating the authorizer for each of `requestsFor`. Throws TOO_LARGE above the bound of names. */
  compile(scope: VisibilityScope): Visibility {
    if (this.#grants.isMaster) return allVisible;
    const budget = new NameBudget(this.#maxNames);
    const shown = this.#shownNames(scope, true);
    if (scope.resource === "namespaces") return this.#compose(shown, budget, this.#namespaceObjects(scope, budget));
    if (shown.some((names) => names !== "all" && names.size > 0)) return this.#compose(shown, budget);
    const key = shown.map((names) => (names === "all" ? "1" : "0")).join("");
    const known = this.#shared.get(key) ?? this.#compose(shown, budget);
    this.#shared.set(key, known);
    return known;
  }

  /** The names that each list of rules shows. */
  #shownNames(scope: VisibilityScope, unnamedToo: boolean): readonly Names[] {
    const verbs = unnamedToo ? scope.verbs : scope.verbs.filter((verb) => verb !== "list");
    const requests = unnamedRequests(scope, verbs);
    return this.#grants.ruleLists.map((rules) => namesShownBy(rules, requests, unnamedToo));
  }

  /**
   * Namespaces whose own object is visible through a RoleBinding inside them. Only requests by path can do that, so
   * never `list`.
   */
  #namespaceObjects(scope: VisibilityScope, budget: NameBudget): ReadonlySet<string> {
    const shown = this.#shownNames(scope, false);
    const objects = new Set<string>();
    for (const { namespaces, roles } of this.#grants.inside) {
      const names = namesOfRoles(shown, roles, budget);
      for (const namespace of namespaces) if (names === "all" || names.has(namespace)) objects.add(namespace);
    }
    return objects;
  }

  #compose(shown: readonly Names[], budget: NameBudget, objects: ReadonlySet<string> = noNames): Visibility {
    const names = namesOfRoles(shown, this.#grants.everywhere, budget);
    if (names === "all") return allVisible;
    const whole: ReadonlySet<string>[] = [];
    const namesIn = new Map<string, ReadonlySet<string>>();
    for (const { namespaces, roles } of this.#grants.inside) {
      const inside = namesOfRoles(shown, roles, budget);
      if (inside === "all") whole.push(namespaces);
      else {
        const more = withoutNames(inside, names);
        if (more.size > 0) for (const namespace of namespaces) namesIn.set(namespace, more);
      }
    }
    const namespaceObjects = withoutNames(objects, names);
    return createVisibility({ names, namespaces: unionOf(whole), namesIn, namespaceObjects });
  }
}

function namesOfRoles(shown: readonly Names[], roles: readonly number[], budget: NameBudget): Names {
  if (roles.length === 1) return shown[roles[0] ?? 0] ?? noNames;
  return joinNames(
    roles.map((role) => shown[role] ?? noNames),
    budget,
  );
}

/** A single set is returned as it is. */
function unionOf(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  const [first = noNames, second] = sets;
  if (second === undefined) return first;
  const union = new Set<string>();
  for (const set of sets) for (const each of set) union.add(each);
  return union;
}

/** True if the object is visible; the namespace of a cluster-scoped object is empty. */
export function isVisible(visibility: Visibility, namespace: string, name: string): boolean {
  if (visibility.kind !== "some") return visibility.kind === "all";
  if (visibility.names.has(name)) return true;
  if (namespace === "") return visibility.namespaceObjects.has(name);
  return visibility.namespaces.has(namespace) || visibility.namesIn.get(namespace)?.has(name) === true;
}
