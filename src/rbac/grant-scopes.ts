// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../model/subject.ts";
import { mastersGroup } from "./authorizer-chain.ts";
import type { Policy } from "./policy.ts";
import type { PolicyRule } from "./rbac-types.ts";

/** The rules of one role. Equal roles may share one list; lists are compared by identity. */
export type RuleList = readonly PolicyRule[];

/** Namespaces in which the same roles apply to a user through RoleBindings. */
export interface NamespacedGrants {
  readonly namespaces: ReadonlySet<string>;
  /** Places in `ruleLists`, ascending, at least one. */
  readonly roles: readonly number[];
}

/** Everything that RBAC grants one user, without the names of bindings and roles. */
export interface GrantScopes {
  /** A member of `system:masters`: all requests are allowed, and the lists are empty. */
  readonly isMaster: boolean;
  /** The rules of all roles that apply somewhere, each list once. */
  readonly ruleLists: readonly RuleList[];
  /** Granted by ClusterRoleBindings: places in `ruleLists`, ascending. */
  readonly everywhere: readonly number[];
  /** Granted by RoleBindings. No two entries have a namespace in common. */
  readonly inside: readonly NamespacedGrants[];
}

/** The grants of members of `system:masters`. */
const masterScopes: GrantScopes = { isMaster: true, ruleLists: [], everywhere: [], inside: [] };

/** Gives each list a place, in the order in which lists are first seen. */
class RuleListPlaces {
  readonly ruleLists: RuleList[] = [];
  readonly #places = new Map<RuleList, number>();

  placeOf(rules: RuleList): number {
    const known = this.#places.get(rules);
    if (known !== undefined) return known;
    this.#places.set(rules, this.ruleLists.length);
    return this.ruleLists.push(rules) - 1;
  }
}

/**
 * Collects what `policy` grants the user. The cost grows with the user's own bindings. Bindings to missing or empty
 * roles add nothing.
 */
export function collectGrantScopes(policy: Policy, user: Subject): GrantScopes {
  if (user.groups.includes(mastersGroup)) return masterScopes;
  const places = new RuleListPlaces();
  /** Nearly always one role applies in a namespace; then it is a number. */
  const byNamespace = new Map<string, number | Set<number>>();
  for (const binding of policy.bindingsFor(user)) {
    const given = policy.resolve(binding);
    if ("notFound" in given || given.rules.length === 0) continue;
    const place = places.placeOf(given.rules);
    const known = byNamespace.get(binding.namespace);
    if (known === undefined) byNamespace.set(binding.namespace, place);
    else if (typeof known !== "number") known.add(place);
    else if (known !== place) byNamespace.set(binding.namespace, new Set([known, place]));
  }
  const clusterWide = byNamespace.get("");
  byNamespace.delete("");
  return {
    isMaster: false,
    ruleLists: places.ruleLists,
    everywhere: clusterWide === undefined ? [] : sorted(clusterWide),
    inside: groupNamespaces(byNamespace),
  };
}

function groupNamespaces(byNamespace: ReadonlyMap<string, number | Set<number>>): readonly NamespacedGrants[] {
  const groups = new Map<number | string, { namespaces: Set<string>; roles: readonly number[] }>();
  for (const [namespace, places] of byNamespace) {
    const key = typeof places === "number" ? places : sorted(places).join(",");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { namespaces: new Set([namespace]), roles: sorted(places) });
    else group.namespaces.add(namespace);
  }
  return [...groups.values()];
}

function sorted(places: number | ReadonlySet<number>): readonly number[] {
  return typeof places === "number" ? [places] : [...places].sort((a, b) => a - b);
}
