// SPDX-License-Identifier: Apache-2.0
// The rules of docs/spec/rbac.md in their simplest form: every request scans every object. Shares no code with the
// evaluator.
import type { Subject } from "../../model/subject.ts";
import type { RequestAttributes } from "../attributes.ts";
import type { Binding, PolicyRule, RbacSubject } from "../rbac-types.ts";
import type { RbacLists } from "./arbitrary-rbac.ts";

function meet(granted: readonly string[], accepted: readonly string[]): boolean {
  return granted.filter((text) => accepted.indexOf(text) >= 0).length > 0;
}

/** All texts that a rule may hold in order to grant `resource/subresource`. */
function resourceTexts(resource: string, subresource: string): readonly string[] {
  if (subresource.length === 0) return ["*", resource];
  return ["*", [resource, subresource].join("/"), ["*", subresource].join("/")];
}

function urlGranted(pattern: string, path: string): boolean {
  const stars = /\**$/.exec(pattern)?.[0].length ?? 0;
  if (stars === 0) return pattern === path;
  const before = pattern.substring(0, pattern.length - stars);
  return path.substring(0, before.length) === before;
}

function granted(rule: PolicyRule, request: RequestAttributes): boolean {
  const verb = meet(rule.verbs, ["*", request.verb]);
  switch (request.kind) {
    case "nonResource":
      return verb && rule.nonResourceURLs.filter((url) => urlGranted(url, request.path)).length > 0;
    case "resource": {
      const group = meet(rule.apiGroups, ["*", request.apiGroup]);
      const resource = meet(rule.resources, resourceTexts(request.resource, request.subresource));
      const name = rule.resourceNames.length > 0 ? meet(rule.resourceNames, [request.name]) : true;
      return verb && group && resource && name;
    }
  }
}

function names(subject: RbacSubject, user: Subject, bindingNamespace: string): boolean {
  if (subject.kind === "User") return subject.name === user.user;
  if (subject.kind === "Group") return user.groups.some((group) => group === subject.name);
  if (subject.kind !== "ServiceAccount") return false;
  const namespace = subject.namespace || bindingNamespace;
  return namespace !== "" && ["system", "serviceaccount", namespace, subject.name].join(":") === user.user;
}

function rulesBehind(lists: RbacLists, binding: Binding): readonly PolicyRule[] {
  const { kind, name } = binding.roleRef;
  const roles =
    kind === "ClusterRole"
      ? lists.clusterRoles.filter((role) => role.name === name)
      : lists.roles.filter(
          (role) =>
            kind === "Role" &&
            binding.kind === "RoleBinding" &&
            role.name === name &&
            role.namespace === binding.namespace,
        );
  return roles.flatMap((role) => role.rules);
}

/** True if Kubernetes RBAC allows the request; the answer that `authorize` must give. */
export function naiveAllows(lists: RbacLists, user: Subject, request: RequestAttributes): boolean {
  const namespace = request.kind === "resource" ? request.namespace : "";
  const bindings: readonly Binding[] = [
    ...lists.clusterRoleBindings,
    ...lists.roleBindings.filter((binding) => namespace !== "" && binding.namespace === namespace),
  ];
  return bindings
    .filter((binding) => binding.subjects.some((each) => names(each, user, binding.namespace)))
    .flatMap((binding) => rulesBehind(lists, binding))
    .some((rule) => granted(rule, request));
}
