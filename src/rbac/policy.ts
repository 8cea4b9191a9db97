// SPDX-License-Identifier: Apache-2.0

import { unreachable } from "../base/assert.ts";
import type { Subject } from "../model/subject.ts";
import { BindingIndex } from "./binding-index.ts";
import { NamespacedMap } from "./namespaced-map.ts";
import type {
  Binding,
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  RbacKey,
  RbacObject,
  Role,
  RoleBinding,
} from "./rbac-types.ts";

/** The complete lists of one cluster's RBAC objects. */
export interface PolicyLists {
  readonly roles?: Iterable<Role>;
  readonly clusterRoles?: Iterable<ClusterRole>;
  readonly roleBindings?: Iterable<RoleBinding>;
  readonly clusterRoleBindings?: Iterable<ClusterRoleBinding>;
}

/** The error of a binding whose role does not exist, with kube-apiserver's text. */
export interface RoleNotFound {
  readonly binding: Binding;
  readonly message: string;
}

/** The rules that one binding grants, or the error of its role. */
export type BindingRules =
  | { readonly binding: Binding; readonly rules: readonly PolicyRule[] }
  | { readonly binding: Binding; readonly notFound: RoleNotFound };

/**
 * One cluster's RBAC objects, indexed by subject. It is updated in place, object by object. Changes made without an
 * `await` between them are atomic for readers (L2). Objects are stored as given and must not be modified afterwards.
 */
export class Policy {
  readonly #roles = new NamespacedMap<Role>();
  readonly #clusterRoles = new Map<string, ClusterRole>();
  /** ClusterRoleBindings are under the empty namespace. */
  readonly #bindings = new NamespacedMap<Binding>();
  readonly #index = new BindingIndex();

  /** Inserts `object`, or replaces the one with the same kind, namespace and name. */
  upsert(object: RbacObject): void {
    switch (object.kind) {
      case "Role":
        this.#roles.set(object.namespace, object);
        return;
      case "ClusterRole":
        this.#clusterRoles.set(object.name, object);
        return;
      case "RoleBinding":
      case "ClusterRoleBinding":
        this.#removeBinding(object.namespace, object.name);
        this.#bindings.set(object.namespace, object);
        this.#index.add(object);
        return;
      default:
        unreachable(object, "RBAC kind");
    }
  }

  /** Removes the object with that key; a missing key is not an error. */
  delete(key: RbacKey): void {
    switch (key.kind) {
      case "Role":
        this.#roles.delete(key.namespace, key.name);
        return;
      case "ClusterRole":
        this.#clusterRoles.delete(key.name);
        return;
      case "RoleBinding":
      case "ClusterRoleBinding":
        this.#removeBinding(key.namespace, key.name);
        return;
      default:
        unreachable(key.kind, "RBAC kind");
    }
  }

  /** The object with that key. */
  get(key: RbacKey): RbacObject | undefined {
    switch (key.kind) {
      case "Role":
        return this.#roles.get(key.namespace, key.name);
      case "ClusterRole":
        return this.#clusterRoles.get(key.name);
      case "RoleBinding":
      case "ClusterRoleBinding":
        return this.#bindings.get(key.namespace, key.name);
      default:
        return unreachable(key.kind, "RBAC kind");
    }
  }

  /** All bindings of both kinds. No order; the policy must not change during iteration. */
  bindings(): Iterable<Binding> {
    return this.#bindings.values();
  }

  /** All objects. No order; the policy must not change during iteration. */
  *objects(): Generator<RbacObject> {
    yield* this.#roles.values();
    yield* this.#clusterRoles.values();
    yield* this.#bindings.values();
  }

  /** The number of bindings of both kinds. */
  get bindingCount(): number {
    return this.#bindings.size;
  }

  /**
   * The rules that apply to the user for requests in `namespace` (empty: cluster scope): ClusterRoleBindings first,
   * then RoleBindings of that namespace, each sorted by name. Lazy; the policy must not change during iteration.
   */
  *rulesFor(user: Subject, namespace: string): Generator<BindingRules> {
    for (const binding of this.#index.bindingsOf(user, "")) yield this.resolve(binding);
    if (namespace === "") return;
    for (const binding of this.#index.bindingsOf(user, namespace)) yield this.resolve(binding);
  }

  /** All bindings that apply to the user; see `BindingIndex.bindingsFor`. */
  bindingsFor(user: Subject): Iterable<Binding> {
    return this.#index.bindingsFor(user);
  }

  /** The parts of the user that bindings name; see `BindingIndex.boundParts`. */
  boundParts(user: Subject): ReturnType<BindingIndex["boundParts"]> {
    return this.#index.boundParts(user);
  }

  /** The rules of the role that `binding` references. The binding need not be part of the policy. */
  resolve(binding: Binding): BindingRules {
    const { kind, name } = binding.roleRef;
    if (kind !== "Role" && kind !== "ClusterRole") {
      return { binding, notFound: { binding, message: `unsupported role reference kind: ${JSON.stringify(kind)}` } };
    }
    const role = kind === "Role" ? this.#roles.get(binding.namespace, name) : this.#clusterRoles.get(name);
    const isMisplaced = kind === "Role" && binding.kind === "ClusterRoleBinding";
    if (role !== undefined && !isMisplaced) return { binding, rules: role.rules };
    const resource = kind.toLowerCase();
    const message = `${resource}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`;
    return { binding, notFound: { binding, message } };
  }

  #removeBinding(namespace: string, name: string): void {
    const binding = this.#bindings.get(namespace, name);
    if (binding === undefined) return;
    this.#bindings.delete(namespace, name);
    this.#index.remove(binding);
  }
}

/** A policy of exactly these objects. Of two with the same key the later one wins. */
export function createPolicy(lists: PolicyLists): Policy {
  const policy = new Policy();
  for (const object of lists.roles ?? []) policy.upsert(object);
  for (const object of lists.clusterRoles ?? []) policy.upsert(object);
  for (const object of lists.roleBindings ?? []) policy.upsert(object);
  for (const object of lists.clusterRoleBindings ?? []) policy.upsert(object);
  return policy;
}
