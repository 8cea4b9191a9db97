// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { Subject } from "../../model/subject.ts";
import { createSubject } from "../../model/subject.ts";
import type { RbacObject } from "../../rbac/rbac-types.ts";
import { clusterRole, clusterRoleBinding, readPods, role, roleBinding } from "../../rbac/testing/rbac-objects.ts";
import { thrownCode } from "../../rbac/testing/thrown-code.ts";
import { type ListedKind, listAccessRules } from "./access-rule-rows.ts";
import { maxWhatIfHolders, maxWhatIfObjects, whatIf } from "./access-what-if.ts";
import type { ClusterGrants } from "./cluster-grants.ts";
import { explainObject } from "./explain-object.ts";
import { type ListedResource, restrictToScope } from "./listed-resource.ts";
import { grantsWith } from "./testing/rbac-sample-rows.ts";
import { maxViewers, whoCanSee } from "./who-can-see.ts";

const alice = createSubject({ user: "alice", groups: ["dev"] });
const root = createSubject({ user: "root", groups: ["system:masters"] });
const read = ["get", "list", "watch"];
const kinds: readonly ListedKind[] = [
  { kind: "Kustomization", resource: "kustomize.toolkit.fluxcd.io/kustomizations", isNamespaced: true },
  { kind: "Bucket", resource: "source.toolkit.fluxcd.io/buckets", isNamespaced: true },
  { kind: "HelmRelease", resource: "helm.toolkit.fluxcd.io/helmreleases", isNamespaced: true },
  { kind: "Pod", resource: "pods", isNamespaced: true },
  { kind: "Node", resource: "nodes", isNamespaced: false },
  { kind: "Namespace", resource: "namespaces", isNamespaced: false },
];
const orgA = role(
  "my-ns",
  "OrgA",
  { verbs: read, apiGroups: ["kustomize.toolkit.fluxcd.io"], resources: ["kustomizations"] },
  { verbs: ["list"], apiGroups: ["source.toolkit.fluxcd.io"], resources: ["buckets"] },
  { verbs: ["create"], apiGroups: ["*"], resources: ["helmreleases"] },
);
const everything = clusterRole("everything", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] });

/** `leaf-01, OrgA, my-ns, Kustomization, Bucket`, with resource names in parentheses. */
function rulesOf(objects: readonly RbacObject[], subject = alice): readonly string[] {
  return listAccessRules(grantsWith(objects), subject, kinds).rows.map((row) =>
    [
      row.cluster,
      row.role,
      row.namespace,
      ...row.accessibleKinds.map(({ kind, resourceNames }) =>
        resourceNames.length === 0 ? kind : `${kind}(${resourceNames.join(" ")})`,
      ),
    ].join(", "),
  );
}

describe("[RB73] [Q-38] access rules of a user", () => {
  test("name cluster, role, namespace and the kinds that its rules show", () => {
    const objects = [orgA, roleBinding("my-ns", "org-a", "Role/OrgA", "Group:dev")];
    expect(rulesOf(objects)).toEqual(["leaf-01, OrgA, my-ns, Kustomization, Bucket"]);
    expect(listAccessRules(grantsWith(objects), alice, kinds).rows[0]).toMatchObject({
      roleKind: "Role",
      bindingKind: "RoleBinding",
      bindingName: "org-a",
      subject: "Group/dev",
    });
    expect(rulesOf(objects, createSubject({ user: "eve" }))).toEqual([]);
  });

  test("name the objects where rules do, and no kind that a RoleBinding cannot show", () => {
    const named = clusterRole("named", { ...readPods, resourceNames: ["web", "db", ""] });
    expect(
      rulesOf([
        named,
        everything,
        clusterRoleBinding("wide", "ClusterRole/named", "User:alice"),
        roleBinding("shop", "all", "ClusterRole/everything", "User:alice"),
        roleBinding("shop", "dangling", "ClusterRole/gone", "User:alice"),
      ]),
    ).toEqual([
      "leaf-01, named, , Pod",
      "leaf-01, everything, shop, Kustomization, Bucket, HelmRelease, Pod, Namespace(shop)",
    ]);
    const narrow = clusterRole("named", { ...readPods, verbs: ["get"], resourceNames: ["web", "db", ""] });
    expect(rulesOf([narrow, clusterRoleBinding("wide", "ClusterRole/named", "User:alice")])).toEqual([
      "leaf-01, named, , Pod(db web)",
    ]);
  });

  test("of a member of system:masters are one row for all kinds", () => {
    expect(rulesOf([], root)).toEqual([
      "leaf-01, system:masters, , Kustomization, Bucket, HelmRelease, Pod, Node, Namespace",
    ]);
  });
});

describe("[RB74] [Q-39] why an object is visible or not", () => {
  const access = grantsWith([
    clusterRole("reader", readPods),
    roleBinding("shop", "devs", "ClusterRole/reader", "Group:dev"),
  ]);
  const pod = { resource: "pods", namespace: "shop", name: "web" };

  test("names binding, role, rule and the group that matched", () => {
    expect(explainObject(access, alice, pod)).toMatchObject({
      isVisible: true,
      sentence:
        'Allowed by RoleBinding "devs/shop" of ClusterRole "reader" to Group "dev", ' +
        'whose rule {APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]} covers it.',
      via: {
        binding: { kind: "RoleBinding", namespace: "shop", name: "devs", roleRef: { name: "reader" } },
        subject: { kind: "Group", name: "dev" },
      },
    });
  });

  test("names the missing verb and the smallest grant", () => {
    expect(explainObject(access, alice, { ...pod, namespace: "bank" })).toMatchObject({
      isVisible: false,
      sentence:
        'User "alice" cannot get resource "pods" in API group "" in the namespace "bank": ' +
        "no rule that applies to this user and its groups allows it; " +
        'a RoleBinding in the namespace "bank" to a role with the rule ' +
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["web"], Verbs:["get"]} would.',
      missing: { bindingKind: "RoleBinding", namespace: "bank", rule: { verbs: ["get"], resourceNames: ["web"] } },
    });
  });

  test("names watch if only the live view lacks it, and the core group for Events", () => {
    expect(explainObject(access, alice, pod, "live")).toMatchObject({
      isVisible: false,
      missing: { rule: { verbs: ["watch"] } },
    });
    const event = { resource: "events", namespace: "shop", name: "web.1" };
    expect(explainObject(access, alice, event).missing?.rule.apiGroups).toEqual([""]);
  });

  test("of a member of system:masters needs no binding", () => {
    expect(explainObject(access, root, pod)).toEqual({
      isVisible: true,
      sentence: 'Allowed before RBAC: the group "system:masters" may read every object.',
    });
  });
});

describe("[RB75] who can see an object", () => {
  const pod = { resource: "pods", namespace: "shop", name: "web" };
  const reader = clusterRole("reader", readPods);

  test("users, groups and service accounts, each with the first binding that shows it and the widest verb", () => {
    const access = grantsWith([
      reader,
      clusterRoleBinding("wide", "ClusterRole/reader", "User:zoe", "ServiceAccount:ci/bot"),
      roleBinding("shop", "more", "ClusterRole/reader", "User:zoe", "Group:dev", "ServiceAccount:web", "Robot:r2"),
      roleBinding("bank", "other", "ClusterRole/reader", "User:bob"),
      clusterRole("getter", { verbs: ["get"], apiGroups: [""], resources: ["pods"] }),
      roleBinding("shop", "named", "ClusterRole/getter", "User:tom"),
    ]);
    const shown = whoCanSee(access, pod).viewers.map(
      ({ holder: { kind, namespace, name }, binding, verb }) =>
        `${kind} ${namespace} ${name} ${binding?.name ?? "built in"} ${verb}`,
    );
    expect(shown).toEqual([
      "Group  dev more list",
      "Group  system:masters built in list",
      "ServiceAccount ci bot wide list",
      "ServiceAccount shop web more list",
      "User  tom named get",
      "User  zoe wide list",
    ]);
  });

  test("is bounded, with the number of those left out", () => {
    const users = Array.from({ length: maxViewers + 9 }, (_, at) => `User:u${at}`);
    const access = grantsWith([reader, clusterRoleBinding("wide", "ClusterRole/reader", ...users)]);
    const { viewers, leftOutCount } = whoCanSee(access, pod);
    expect([viewers.length, leftOutCount]).toEqual([maxViewers, 10]);
  });
});

describe("[RB76] what RBAC objects would change", () => {
  const reader = clusterRole("reader", readPods);
  const pods = [{ resource: "pods", isNamespaced: true }];

  test("a binding, for those that it names", () => {
    const binding = roleBinding("shop", "devs", "ClusterRole/reader", "Group:dev");
    const { changes } = whatIf(grantsWith([reader]), [binding], pods);
    expect(changes).toEqual([
      {
        holder: { kind: "Group", namespace: "", name: "dev" },
        resource: "pods",
        before: { kind: "none" },
        after: expect.objectContaining({ kind: "some", namespaces: new Set(["shop"]) }) as unknown,
      },
    ]);
  });

  test("a role, for all that bindings to it name; nothing for those who see it anyway", () => {
    const access = grantsWith([
      clusterRole("reader"),
      roleBinding("shop", "devs", "ClusterRole/reader", "User:alice"),
      roleBinding("bank", "devs", "ClusterRole/reader", "ServiceAccount:bot"),
      clusterRole("all", { ...readPods }),
      clusterRoleBinding("bots", "ClusterRole/all", "Group:system:serviceaccounts:bank"),
    ]);
    const { changes } = whatIf(access, [reader], pods);
    expect(changes.map(({ holder }) => holder.name)).toEqual(["alice"]);
  });

  test("is bounded in objects and in those compared", () => {
    const users = Array.from({ length: maxWhatIfHolders + 3 }, (_, at) => `User:u${at}`);
    const answer = whatIf(grantsWith([reader]), [clusterRoleBinding("w", "ClusterRole/reader", ...users)], pods);
    expect([answer.changes.length, answer.leftOutCount]).toEqual([maxWhatIfHolders, 3]);
    const many = Array.from({ length: maxWhatIfObjects + 1 }, () => reader);
    expect(thrownCode(() => whatIf(grantsWith([]), many, pods))).toBe("TOO_LARGE");
  });
});

/** The kinds of which the subject may see an object, if it exists. */
function knownKinds(access: ClusterGrants, subject: Subject): typeof kinds {
  return kinds.filter(
    (each: ListedResource) => restrictToScope(access.visibilityOf(subject, each.resource), each).kind !== "none",
  );
}

test("[RB77] [L17] a RoleBinding to everything makes no cluster-scoped kind known but Namespace", () => {
  const access = grantsWith([everything, roleBinding("shop", "all", "ClusterRole/everything", "User:alice")]);
  expect(knownKinds(access, alice).map(({ kind }) => kind)).toEqual([
    "Kustomization",
    "Bucket",
    "HelmRelease",
    "Pod",
    "Namespace",
  ]);
});
