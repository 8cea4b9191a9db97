// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { equalVisibility } from "../../rbac/equal-visibility.ts";
import { collectGrantScopes } from "../../rbac/grant-scopes.ts";
import { Policy } from "../../rbac/policy.ts";
import type { Binding, RbacObject } from "../../rbac/rbac-types.ts";
import { type Visibility, VisibilityCompiler } from "../../rbac/visibility.ts";
import { type AccessHolder, compareHolders, holderKey, holdersOf, subjectOfHolder } from "./access-holder.ts";
import type { ClusterGrants } from "./cluster-grants.ts";
import { type ListedResource, restrictToScope } from "./listed-resource.ts";
import { listScope } from "./resource-scope.ts";

/** A change of what a user, group or service account may see of one resource. */
export interface VisibilityChange {
  readonly holder: AccessHolder;
  readonly resource: string;
  readonly before: Visibility;
  readonly after: Visibility;
}

/** The effect of RBAC objects that are not applied yet. */
export interface WhatIfAnswer {
  /** By holder, then in the order of the resources given. */
  readonly changes: readonly VisibilityChange[];
  /** Users, groups and service accounts beyond `maxWhatIfHolders` that were not compared. */
  readonly leftOutCount: number;
}

/** Most users, groups and service accounts that are compared. */
export const maxWhatIfHolders = 1_000;

/** Most objects in one question. */
export const maxWhatIfObjects = 1_000;

/**
 * What would change if `objects` were added to the cluster, or replaced those with the same key. It compares the users,
 * groups and service accounts of changed bindings and of bindings to changed roles, each with the rights that it has
 * without any other group but the implied ones. The access itself is not changed. Throws TOO_LARGE for too many objects
 * or names, and INVALID_ARGUMENT for a resource of another form than `apps/deployments`.
 */
export function whatIf(
  access: ClusterGrants,
  objects: readonly RbacObject[],
  resources: readonly ListedResource[],
): WhatIfAnswer {
  if (objects.length > maxWhatIfObjects) {
    throw new FlotillaError("TOO_LARGE", `at most ${maxWhatIfObjects} RBAC objects can be tried at once`);
  }
  const next = new Policy();
  for (const object of access.policy.objects()) next.upsert(object);
  for (const object of objects) next.upsert(object);
  const holders = concernedHolders([access.policy, next], objects).sort(compareHolders);
  const scopes = resources.map((each) => ({ ...each, scope: listScope(each.resource) }));
  const changes: VisibilityChange[] = [];
  for (const holder of holders.slice(0, maxWhatIfHolders)) {
    const subject = subjectOfHolder(holder);
    const old = new VisibilityCompiler(collectGrantScopes(access.policy, subject));
    const changed = new VisibilityCompiler(collectGrantScopes(next, subject));
    for (const each of scopes) {
      const before = restrictToScope(old.compile(each.scope), each);
      const after = restrictToScope(changed.compile(each.scope), each);
      if (!equalVisibility(before, after)) changes.push({ holder, resource: each.resource, before, after });
    }
  }
  return { changes, leftOutCount: Math.max(0, holders.length - maxWhatIfHolders) };
}

function concernedHolders(policies: readonly Policy[], objects: readonly RbacObject[]): AccessHolder[] {
  const keys = new Set(objects.map(keyOf));
  const found = new Map<string, AccessHolder>();
  for (const policy of policies) {
    for (const binding of policy.bindings()) {
      if (!keys.has(keyOf(binding)) && !keys.has(roleKeyOf(binding))) continue;
      for (const holder of holdersOf(binding)) found.set(holderKey(holder), holder);
    }
  }
  return [...found.values()];
}

function keyOf({ kind, namespace, name }: RbacObject): string {
  return JSON.stringify([kind, namespace, name]);
}

/** The key of the role that the binding grants (RB17). */
function roleKeyOf({ namespace, roleRef: { kind, name } }: Binding): string {
  return JSON.stringify([kind, kind === "Role" ? namespace : "", name]);
}
