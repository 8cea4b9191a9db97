// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { Subject } from "../model/subject.ts";
import { createPolicy, type PolicyLists } from "./policy.ts";
import { compileVisibility } from "./testing/compile-visibility.ts";
import { clusterRole, clusterRoleBinding, readPods, roleBinding } from "./testing/rbac-objects.ts";
import { isVisible, type Visibility } from "./visibility.ts";
import { requestsFor, type VisibilityScope, visibilityVerbs } from "./visibility-requests.ts";

const alice: Subject = { user: "alice", groups: ["dev"] };
const pods: VisibilityScope = { apiGroups: [""], resource: "pods", verbs: visibilityVerbs.default };
const namespaces: VisibilityScope = { ...pods, resource: "namespaces" };

/** ClusterRole `r` of one rule, bound to alice everywhere or in the namespace shop. */
function bound(where: "everywhere" | "shop", rule: Parameters<typeof clusterRole>[1]): PolicyLists {
  const clusterRoles = [clusterRole("r", rule)];
  if (where === "shop")
    return { clusterRoles, roleBindings: [roleBinding("shop", "b", "ClusterRole/r", "User:alice")] };
  return { clusterRoles, clusterRoleBindings: [clusterRoleBinding("b", "ClusterRole/r", "User:alice")] };
}

function see(lists: PolicyLists, scope: VisibilityScope = pods): Visibility {
  return compileVisibility(createPolicy(lists), alice, scope);
}

describe("[RB55] what shows objects", () => {
  test("a cluster-wide list shows all", () => {
    expect(see(bound("everywhere", { ...readPods, verbs: ["list"] }))).toEqual({ kind: "all" });
  });

  test("to get any object shows it, unless strict", () => {
    const lists = bound("everywhere", { ...readPods, verbs: ["get"] });
    expect(see(lists)).toEqual({ kind: "all" });
    expect(see(lists, { ...pods, verbs: visibilityVerbs.strict })).toEqual({ kind: "none" });
    expect(see(lists, { ...pods, verbs: visibilityVerbs.live })).toEqual({ kind: "none" });
  });

  test("watch alone shows streams only", () => {
    const lists = bound("everywhere", { ...readPods, verbs: ["watch"] });
    expect(see(lists)).toEqual({ kind: "none" });
    expect(see(lists, { ...pods, verbs: visibilityVerbs.live })).toEqual({ kind: "all" });
  });

  test("a list in a namespace shows that namespace", () => {
    const visibility = see(bound("shop", readPods));
    expect(isVisible(visibility, "shop", "web")).toBe(true);
    expect(isVisible(visibility, "bank", "web")).toBe(false);
    expect(isVisible(visibility, "", "shop")).toBe(false);
  });

  test("a named list shows the named, cluster-wide in every namespace", () => {
    const rule = { ...readPods, verbs: ["list"], resourceNames: ["web"] };
    const wide = see(bound("everywhere", rule));
    expect(["shop", "bank"].map((namespace) => isVisible(wide, namespace, "web"))).toEqual([true, true]);
    expect(isVisible(wide, "shop", "db")).toBe(false);
    const narrow = see(bound("shop", rule));
    expect(["shop", "bank"].map((namespace) => isVisible(narrow, namespace, "web"))).toEqual([true, false]);
  });

  test("a star among resource names is a name, not everything", () => {
    const visibility = see(bound("everywhere", { ...readPods, resourceNames: ["*"] }));
    expect(isVisible(visibility, "shop", "web")).toBe(false);
  });

  test("a grant on a subresource shows nothing", () => {
    expect(see(bound("everywhere", { ...readPods, resources: ["pods/log", "*/status"] }))).toEqual({ kind: "none" });
  });
});

test("[RB56] system:masters sees all of a cluster that has no binding", () => {
  const master = { user: "root", groups: ["system:masters"] };
  expect(compileVisibility(createPolicy({}), master, pods)).toEqual({ kind: "all" });
});

describe("[RB57] Namespace objects", () => {
  test("to get namespaces through a RoleBinding shows the one it is in", () => {
    const visibility = see(bound("shop", { verbs: ["get"], apiGroups: [""], resources: ["*"] }), namespaces);
    expect(isVisible(visibility, "", "shop")).toBe(true);
    expect(isVisible(visibility, "", "bank")).toBe(false);
  });

  test("to list namespaces through a RoleBinding shows nothing", () => {
    const visibility = see(bound("shop", { verbs: ["list"], apiGroups: [""], resources: ["namespaces"] }), namespaces);
    expect(isVisible(visibility, "", "shop")).toBe(false);
  });

  test("resource names must hold the namespace's own name", () => {
    const rule = { verbs: ["get"], apiGroups: [""], resources: ["namespaces"], resourceNames: ["bank", ""] };
    const visibility = see(bound("shop", rule), namespaces);
    expect(isVisible(visibility, "", "shop")).toBe(false);
    expect(isVisible(visibility, "", "bank")).toBe(false);
  });

  test("to watch namespaces through a RoleBinding shows its own in streams, by name or by any name", () => {
    const live = { ...namespaces, verbs: visibilityVerbs.live };
    const watching = (...resourceNames: readonly string[]): boolean => {
      const rule = { verbs: ["watch"], apiGroups: [""], resources: ["namespaces"], resourceNames };
      return isVisible(see(bound("shop", rule), live), "", "shop");
    };
    expect([watching(), watching("shop"), watching(""), watching("bank")]).toEqual([true, true, false, false]);
  });

  test("are asked for with their own name as namespace", () => {
    const asked = requestsFor(namespaces, { namespace: "", name: "shop" });
    expect(asked.map(({ verb, namespace, name }) => `${verb} ${namespace}/${name}`)).toEqual([
      "list /",
      "list /shop",
      "get shop/shop",
    ]);
  });
});

test("[RB58] a list rule with an empty name among its names shows everything in its scope; a get rule does not", () => {
  const names = ["", "web"];
  expect(see(bound("everywhere", { ...readPods, verbs: ["list"], resourceNames: names })).kind).toBe("all");
  const inShop = see(bound("shop", { ...readPods, verbs: ["list"], resourceNames: names }));
  expect(isVisible(inShop, "shop", "db")).toBe(true);
  const byGet = see(bound("everywhere", { ...readPods, verbs: ["get"], resourceNames: names }));
  expect(isVisible(byGet, "shop", "db")).toBe(false);
  expect(isVisible(byGet, "shop", "web")).toBe(true);
});

test.each(["", "events.k8s.io"])("[RB59] events are visible by a grant in the group '%s'", (apiGroup) => {
  const lists = bound("shop", { verbs: ["list"], apiGroups: [apiGroup], resources: ["events"] });
  const events: VisibilityScope = { ...pods, apiGroups: ["", "events.k8s.io"], resource: "events" };
  expect(isVisible(see(lists, events), "shop", "e1")).toBe(true);
  expect(isVisible(see(lists, { ...events, apiGroups: ["apps"] }), "shop", "e1")).toBe(false);
});

test("[RB55] several bindings add up", () => {
  const visibility = see({
    clusterRoles: [
      clusterRole("all", readPods),
      clusterRole("web", { ...readPods, resourceNames: ["web"] }),
      clusterRole("db", { ...readPods, resourceNames: ["db"] }),
    ],
    clusterRoleBindings: [clusterRoleBinding("b", "ClusterRole/db", "Group:dev")],
    roleBindings: [
      roleBinding("shop", "b1", "ClusterRole/all", "Group:dev"),
      roleBinding("shop", "b2", "ClusterRole/web", "User:alice"),
      roleBinding("bank", "b3", "ClusterRole/web", "User:alice"),
      roleBinding("bank", "b4", "ClusterRole/gone", "User:alice"),
    ],
  });
  expect(visibility).toEqual({
    kind: "some",
    names: new Set(["db"]),
    namespaces: new Set(["shop"]),
    namesIn: new Map([["bank", new Set(["web"])]]),
    namespaceObjects: new Set(),
  });
});
