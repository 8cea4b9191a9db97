// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import { compareUtf8 } from "../../model/text.ts";
import { mastersGroup } from "../../rbac/authorizer-chain.ts";
import type { RuleList } from "../../rbac/grant-scopes.ts";
import type { Binding } from "../../rbac/rbac-types.ts";
import { type Names, namesShownBy, unnamedRequests } from "../../rbac/shown-names.ts";
import { matchingSubject } from "../../rbac/subject-match.ts";
import { compareBindings, holdersOf } from "./access-holder.ts";
import type { ClusterGrants } from "./cluster-grants.ts";
import type { ListedResource } from "./listed-resource.ts";
import { listScope } from "./resource-scope.ts";

/** A kind of which rules can show objects. */
export interface ListedKind extends ListedResource {
  readonly kind: string;
}

/** A kind of which a binding shows objects. */
export interface AccessibleKind {
  readonly kind: string;
  readonly resource: string;
  /** The only names that are shown, sorted bytewise; empty: every name. */
  readonly resourceNames: readonly string[];
}

/** The objects that one binding shows: Cluster, Role, Namespace, AccessibleKinds. */
export interface AccessRuleRow {
  readonly cluster: string;
  readonly role: string;
  /** `Role` or `ClusterRole`; empty for `system:masters`, which is not a role. */
  readonly roleKind: string;
  /** Empty: every namespace, and the objects without one. */
  readonly namespace: string;
  /** In the order of the kinds given; at least one. */
  readonly accessibleKinds: readonly AccessibleKind[];
  /** Empty for `system:masters`. */
  readonly bindingKind: Binding["kind"] | "";
  readonly bindingName: string;
  /** The first subject of the binding that the user is, as `Group/NAME`, `User/NAME` or `ServiceAccount/NAMESPACE/NAME`. */
  readonly subject: string;
}

/** The access rules of one subject in one cluster. */
export interface AccessRuleList {
  /** ClusterRoleBindings first, then by namespace and name; at most `maxAccessRules`. */
  readonly rows: readonly AccessRuleRow[];
  readonly leftOutCount: number;
}

/** Most rows of one answer. */
export const maxAccessRules = 10_000;

/** The kinds that a list of rules shows in a namespace, or everywhere if it is empty. */
type KindsOf = (rules: RuleList, namespace: string) => readonly AccessibleKind[];

/**
 * What each binding of the subject shows of these kinds, by the same rules as `visibilityOf`. Bindings that show
 * nothing are left out.
 */
export function listAccessRules(access: ClusterGrants, subject: Subject, kinds: readonly ListedKind[]): AccessRuleList {
  const { cluster, policy } = access;
  if (subject.groups.includes(mastersGroup)) return masterRules(cluster, kinds);
  const kindsOf = createKindsOf(kinds);
  const rows: AccessRuleRow[] = [];
  let leftOutCount = 0;
  for (const binding of [...new Set(policy.bindingsFor(subject))].sort(compareBindings)) {
    const given = policy.resolve(binding);
    const accessibleKinds = "rules" in given ? kindsOf(given.rules, binding.namespace) : [];
    if (accessibleKinds.length === 0) continue;
    if (rows.length === maxAccessRules) leftOutCount += 1;
    else rows.push(rowOf(cluster, binding, { accessibleKinds, subject: subjectText(binding, subject) }));
  }
  return { rows, leftOutCount };
}

/** "" if the binding does not apply to the user. */
function subjectText(binding: Binding, user: Subject): string {
  const matching = matchingSubject(binding, user);
  const [holder] = matching === undefined ? [] : holdersOf({ ...binding, subjects: [matching] });
  if (holder === undefined) return "";
  return [holder.kind, holder.namespace, holder.name].filter((part) => part !== "").join("/");
}

function rowOf(
  cluster: string,
  binding: Binding,
  shown: Pick<AccessRuleRow, "accessibleKinds" | "subject">,
): AccessRuleRow {
  const { kind, namespace, name, roleRef } = binding;
  return {
    cluster,
    role: roleRef.name,
    roleKind: roleRef.kind,
    namespace,
    bindingKind: kind,
    bindingName: name,
    ...shown,
  };
}

function masterRules(cluster: string, kinds: readonly ListedKind[]): AccessRuleList {
  const accessibleKinds = kinds.map(({ kind, resource }) => ({ kind, resource, resourceNames: [] }));
  if (accessibleKinds.length === 0) return { rows: [], leftOutCount: 0 };
  const row: AccessRuleRow = {
    cluster,
    role: mastersGroup,
    roleKind: "",
    namespace: "",
    accessibleKinds,
    bindingKind: "",
    bindingName: "",
    subject: `Group/${mastersGroup}`,
  };
  return { rows: [row], leftOutCount: 0 };
}

/** Each list of rules is evaluated once for RoleBindings and once for ClusterRoleBindings. */
function createKindsOf(kinds: readonly ListedKind[]): KindsOf {
  const everywhere = new Map<RuleList, readonly AccessibleKind[]>();
  const inside = new Map<RuleList, readonly AccessibleKind[]>();
  const namespaced = kinds.filter(({ isNamespaced, resource }) => isNamespaced !== false && resource !== "namespaces");
  const namespaceKind = kinds.find(({ resource }) => resource === "namespaces");
  return (rules, namespace) => {
    if (namespace === "") return remembered(everywhere, rules, () => shownKinds(rules, kinds));
    const shown = remembered(inside, rules, () => shownKinds(rules, namespaced));
    if (namespaceKind === undefined || !showsOwnNamespace(rules, namespace)) return shown;
    return [...shown, { kind: namespaceKind.kind, resource: namespaceKind.resource, resourceNames: [namespace] }];
  };
}

function remembered<Value>(known: Map<RuleList, Value>, rules: RuleList, compute: () => Value): Value {
  const value = known.get(rules) ?? compute();
  known.set(rules, value);
  return value;
}

function shownKinds(rules: RuleList, kinds: readonly ListedKind[]): readonly AccessibleKind[] {
  return kinds.flatMap(({ kind, resource }) => {
    const scope = listScope(resource);
    const names: Names = namesShownBy(rules, unnamedRequests(scope, scope.verbs), true);
    if (names === "all") return [{ kind, resource, resourceNames: [] }];
    return names.size === 0 ? [] : [{ kind, resource, resourceNames: [...names].sort(compareUtf8) }];
  });
}

/** True if a RoleBinding in the namespace shows the Namespace object itself (RB57). */
function showsOwnNamespace(rules: RuleList, namespace: string): boolean {
  const names = namesShownBy(rules, unnamedRequests(listScope("namespaces"), ["get"]), false);
  return names === "all" || names.has(namespace);
}
