// SPDX-License-Identifier: Apache-2.0
import { type Subject, serviceAccountUser } from "../model/subject.ts";
import type { Binding, RbacSubject } from "./rbac-types.ts";

/** The user name or group that a subject matches. The index and the match both use it. */
export type SubjectTarget = { readonly user: string } | { readonly group: string };

/** The user name or group that `subject` stands for in a binding of that namespace; undefined if it matches no user. */
export function subjectTarget(subject: RbacSubject, bindingNamespace: string): SubjectTarget | undefined {
  switch (subject.kind) {
    case "User":
      return { user: subject.name };
    case "Group":
      return { group: subject.name };
    case "ServiceAccount": {
      const namespace = subject.namespace === "" ? bindingNamespace : subject.namespace;
      return namespace === "" ? undefined : { user: serviceAccountUser(namespace, subject.name) };
    }
    default:
      return undefined;
  }
}

/** True if `subject`, in a binding of that namespace, matches the user or one of its groups. */
export function subjectMatches(subject: RbacSubject, user: Subject, bindingNamespace: string): boolean {
  const target = subjectTarget(subject, bindingNamespace);
  if (target === undefined) return false;
  return "user" in target ? target.user === user.user : user.groups.includes(target.group);
}

/** The first subject of `binding` that matches the user; undefined if the binding does not apply. */
export function matchingSubject(binding: Binding, user: Subject): RbacSubject | undefined {
  return binding.subjects.find((subject) => subjectMatches(subject, user, binding.namespace));
}
