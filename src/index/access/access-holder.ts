// SPDX-License-Identifier: Apache-2.0
import { createSubject, parseServiceAccountUser, type Subject, serviceAccountUser } from "../../model/subject.ts";
import { compareUtf8 } from "../../model/text.ts";
import type { Binding, RoleRef } from "../../rbac/rbac-types.ts";
import { subjectTarget } from "../../rbac/subject-match.ts";

/** A user, group or service account that bindings name. */
export interface AccessHolder {
  readonly kind: "User" | "Group" | "ServiceAccount";
  /** Of a service account; else empty. */
  readonly namespace: string;
  readonly name: string;
}

/** A binding by its key, with the role that it grants. */
export interface BindingName {
  readonly kind: Binding["kind"];
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
}

/** The name of a binding, without its subjects. */
export function bindingName({ kind, namespace, name, roleRef }: Binding): BindingName {
  return { kind, namespace, name, roleRef };
}

/** ClusterRoleBindings before RoleBindings, then by namespace and name (RB23). */
export function compareBindings(a: Binding, b: Binding): number {
  return compareUtf8(a.kind, b.kind) || compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name);
}

/** All that the binding names. A User subject that spells out a service account is that service account (RB12). */
export function holdersOf(binding: Binding): readonly AccessHolder[] {
  return binding.subjects.flatMap((subject): readonly AccessHolder[] => {
    const target = subjectTarget(subject, binding.namespace);
    if (target === undefined) return [];
    if ("group" in target) return [{ kind: "Group", namespace: "", name: target.group }];
    const account = parseServiceAccountUser(target.user);
    return [account === undefined ? { kind: "User", namespace: "", name: target.user } : accountHolder(account)];
  });
}

function accountHolder({ namespace, name }: { readonly namespace: string; readonly name: string }): AccessHolder {
  return { kind: "ServiceAccount", namespace, name };
}

/** Equal for equal holders. */
export function holderKey({ kind, namespace, name }: AccessHolder): string {
  return JSON.stringify([kind, namespace, name]);
}

/** By kind, namespace and name. */
export function compareHolders(a: AccessHolder, b: AccessHolder): number {
  return compareUtf8(a.kind, b.kind) || compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name);
}

/**
 * A subject with the rights that come with the holder alone: an authenticated user of that name, or a member of that
 * group, without any other group but the implied ones.
 */
export function subjectOfHolder({ kind, namespace, name }: AccessHolder): Subject {
  switch (kind) {
    case "User":
      return createSubject({ user: name });
    case "ServiceAccount":
      return createSubject({ user: serviceAccountUser(namespace, name) });
    case "Group":
      return createSubject({ user: "", groups: [name] });
    default:
      return kind satisfies never;
  }
}
