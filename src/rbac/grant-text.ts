// SPDX-License-Identifier: Apache-2.0
// Texts in kube-apiserver's exact form, so that both answers can be compared.
import type { Subject } from "../model/subject.ts";
import type { RequestAttributes } from "./attributes.ts";
import type { Binding, PolicyRule, RbacSubject } from "./rbac-types.ts";
import { combinedResource } from "./rule-match.ts";

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A list as Go prints it with %q: `["a" "b"]`. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(" ")}]`;
}

function subjectText(subject: RbacSubject, bindingNamespace: string): string {
  if (subject.kind !== "ServiceAccount") return `${subject.kind} ${quoted(subject.name)}`;
  return `${subject.kind} ${quoted(`${subject.name}/${subject.namespace || bindingNamespace}`)}`;
}

/** `RoleBinding "name/namespace" of ClusterRole "role" to User "alice"`. */
export function grantText(grant: { readonly binding: Binding; readonly subject: RbacSubject }): string {
  const { kind, name, namespace, roleRef } = grant.binding;
  const place = kind === "RoleBinding" ? `${name}/${namespace}` : name;
  const subject = subjectText(grant.subject, namespace);
  return `${kind} ${quoted(place)} of ${roleRef.kind} ${quoted(roleRef.name)} to ${subject}`;
}

/** Several errors as one text, each once: a single one as it is, more in brackets. */
export function errorsText(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`; empty lists are left out. */
export function ruleText(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const filled = parts.filter(([, list]) => list.length > 0).map(([name, list]) => `${name}:${quotedList(list)}`);
  return `{${filled.join(", ")}}`;
}

/** The attempted request in the words of a 403: `User "bob" cannot get path "/metrics"`. */
export function refusalText(user: Subject, attributes: RequestAttributes): string {
  const who = `User ${quoted(user.user)} cannot ${attributes.verb}`;
  if (attributes.kind === "nonResource") return `${who} path ${quoted(attributes.path)}`;
  const what = `resource ${quoted(combinedResource(attributes))} in API group ${quoted(attributes.apiGroup)}`;
  const { namespace } = attributes;
  return `${who} ${what} ${namespace === "" ? "at the cluster scope" : `in the namespace ${quoted(namespace)}`}`;
}
