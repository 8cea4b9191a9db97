// SPDX-License-Identifier: Apache-2.0
import { type Subject, serviceAccountUser } from "../model/subject.ts";
import type { Binding, RbacSubject } from "./rbac-types.ts";

/** What a user must have for a subject to match: a name or a group. Both the index and the match are made from this. */
export type SubjectTarget = { readonly user: string } | { readonly group: string };

/** The user name or group that `subject` stands for in a binding of that namespace, or undefined if it matches nobody. */
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

/** True if `subject`, in a binding of that namespace, names the user or one of its groups. */
export function subjectMatches(subject: RbacSubject, user: Subject, bindingNamespace: string): boolean {
  const target = subjectTarget(subject, bindingNamespace);
  if (target === undefined) return false;
  return "user" in target ? target.user === user.user : user.groups.includes(target.group);
}

/** The first subject of `binding` that names the user, or undefined if the binding does not apply. */
export function matchingSubject(binding: Binding, user: Subject): RbacSubject | undefined {
  return binding.subjects.find((subject) => subjectMatches(subject, user, binding.namespace));
}
