// SPDX-License-Identifier: Apache-2.0
import { mastersGroup } from "../../rbac/authorizer-chain.ts";
import type { Binding } from "../../rbac/rbac-types.ts";
import { ruleAllows } from "../../rbac/rule-match.ts";
import { type ReadVerb, requestsFor } from "../../rbac/visibility-requests.ts";
import {
  type AccessHolder,
  type BindingName,
  bindingName,
  compareBindings,
  compareHolders,
  holderKey,
  holdersOf,
} from "./access-holder.ts";
import type { ClusterGrants } from "./cluster-grants.ts";
import { listScope } from "./resource-scope.ts";

/** Names one object of a cluster. It need not exist. */
export interface JudgedObject {
  readonly resource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** A user, group or service account that may see the object. */
export interface ObjectViewer {
  readonly holder: AccessHolder;
  /** The first binding that shows it (RB23); undefined for `system:masters`, which needs none. */
  readonly binding: BindingName | undefined;
  /** The verb of the widest request for the object that the binding allows; `list` for `system:masters`. */
  readonly verb: ReadVerb;
}

/** All that may see an object. */
export interface ObjectViewers {
  /** Sorted by kind, namespace and name; at most `maxViewers`. */
  readonly viewers: readonly ObjectViewer[];
  readonly leftOutCount: number;
}

/** Most viewers of one answer. */
export const maxViewers = 1_000;

/**
 * The users, groups and service accounts that may see the object in lists, by name: each with the rights that it has
 * without any other group. The answer depends on RBAC objects alone, not on whether the object exists. Throws
 * INVALID_ARGUMENT for a resource of another form than `apps/deployments`.
 */
export function whoCanSee(access: ClusterGrants, object: JudgedObject): ObjectViewers {
  const masters: AccessHolder = { kind: "Group", namespace: "", name: mastersGroup };
  const found = new Map<string, ObjectViewer>([
    [holderKey(masters), { holder: masters, binding: undefined, verb: "list" }],
  ]);
  const showing = findShowing(access, object).sort((a, b) => compareBindings(a.binding, b.binding));
  for (const { binding, verb } of showing) {
    for (const holder of holdersOf(binding)) {
      const key = holderKey(holder);
      if (!found.has(key)) found.set(key, { holder, binding: bindingName(binding), verb });
    }
  }
  const viewers = [...found.values()].sort((a, b) => compareHolders(a.holder, b.holder));
  return { viewers: viewers.slice(0, maxViewers), leftOutCount: Math.max(0, viewers.length - maxViewers) };
}

interface ShowingBinding {
  readonly binding: Binding;
  readonly verb: ReadVerb;
}

function findShowing({ policy }: ClusterGrants, { resource, namespace, name }: JudgedObject): ShowingBinding[] {
  const scope = listScope(resource);
  const requests = requestsFor(scope, { namespace, name });
  return [...policy.bindings()].flatMap((binding): readonly ShowingBinding[] => {
    const given = policy.resolve(binding);
    if (!("rules" in given)) return [];
    // A RoleBinding applies to requests in its namespace only (RB16).
    const covered =
      binding.namespace === "" ? requests : requests.filter((each) => each.namespace === binding.namespace);
    const allowed = covered.find((request) => given.rules.some((rule) => ruleAllows(rule, request)));
    const verb = scope.verbs.find((each) => each === allowed?.verb);
    return verb === undefined ? [] : [{ binding, verb }];
  });
}
