// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { rbacResources } from "../../model/rbac-resources.ts";
import { createSubject } from "../../model/subject.ts";
import { clusterRole, clusterRoleBinding, readPods, role, roleBinding } from "../../rbac/testing/rbac-objects.ts";
import { thrownCode } from "../../rbac/testing/thrown-code.ts";
import { isVisible } from "../../rbac/visibility.ts";
import type { ClusterGrants } from "./cluster-grants.ts";
import { maxNamedFaults } from "./grant-faults.ts";
import { GrantsCache } from "./grants-cache.ts";
import { grantsWith, resourceOf, rowOfObject } from "./testing/rbac-sample-rows.ts";

const alice = createSubject({ user: "alice", groups: ["dev"] });
const reader = clusterRole("reader", { ...readPods, verbs: ["get", "list", "watch"] });
const bound = roleBinding("shop", "devs", "ClusterRole/reader", "Group:dev");
const none = { kind: "none" };

/** Grants by which alice sees the pods of the namespace shop. */
function open(): ClusterGrants {
  const grants = grantsWith([reader, bound]);
  expect(isVisible(grants.visibilityOf(alice, "pods"), "shop", "web")).toBe(true);
  return grants;
}

function put(grants: ClusterGrants, object: Parameters<typeof rowOfObject>[0]): void {
  grants.upsert(resourceOf(object), rowOfObject(object));
}

describe("[RB65] [L17] a revocation takes effect at once", () => {
  test.each<readonly [string, (grants: ClusterGrants) => void]>([
    ["of a binding that is deleted", (grants) => grants.remove(resourceOf(bound), "shop", "devs")],
    ["of a role that is deleted", (grants) => grants.remove(resourceOf(reader), "", "reader")],
    ["of a role that is emptied", (grants) => put(grants, clusterRole("reader"))],
    ["of a subject that is removed", (grants) => put(grants, { ...bound, subjects: [] })],
    ["of a binding to another role", (grants) => put(grants, roleBinding("shop", "devs", "Role/own", "Group:dev"))],
    ["of a role whose row does not parse", (grants) => grants.upsert(resourceOf(reader), broken("", "reader"))],
    ["of a binding whose row does not parse", (grants) => grants.upsert(resourceOf(bound), broken("shop", "devs"))],
  ])("%s", (_, revoke) => {
    const grants = open();
    const { version } = grants;
    revoke(grants);
    for (const use of ["list", "live"] as const) expect(grants.visibilityOf(alice, "pods", use)).toEqual(none);
    expect(grants.version).toBeGreaterThan(version);
  });
});

function broken(namespace: string, name: string) {
  return {
    namespace,
    name,
    columns: new Map([
      ["rules", 7],
      ["subjects", 7],
    ]),
  };
}

describe("rows of the four kinds", () => {
  test("[RB65] [Q-34] each takes part: roles and bindings, of a namespace and of the cluster", () => {
    const objects = [
      role("shop", "own", readPods),
      roleBinding("shop", "own", "Role/own", "User:alice"),
      clusterRole("nodes", { verbs: ["list"], apiGroups: [""], resources: ["nodes"] }),
      clusterRoleBinding("nodes", "ClusterRole/nodes", "User:alice"),
    ];
    expect(objects.map(resourceOf).toSorted()).toEqual(rbacResources.toSorted());
    const grants = grantsWith(objects);
    expect(grants.visibilityOf(alice, "nodes")).toEqual({ kind: "all" });
    expect(isVisible(grants.visibilityOf(alice, "pods"), "shop", "web")).toBe(true);
    expect(isVisible(grants.visibilityOf(alice, "pods"), "bank", "web")).toBe(false);
  });

  test("[Q-36] with rules for Kustomizations in my-ns, a Bucket in my-ns is not visible", () => {
    const kustomizations = {
      verbs: ["get", "list"],
      apiGroups: ["kustomize.toolkit.fluxcd.io"],
      resources: ["kustomizations"],
    };
    const grants = grantsWith([role("my-ns", "r", kustomizations), roleBinding("my-ns", "b", "Role/r", "User:alice")]);
    expect(grants.visibilityOf(alice, "source.toolkit.fluxcd.io/buckets")).toEqual(none);
    expect(isVisible(grants.visibilityOf(alice, "kustomize.toolkit.fluxcd.io/kustomizations"), "my-ns", "k")).toBe(
      true,
    );
  });

  test("[RB65] that do not parse are counted and named until they are replaced or deleted", () => {
    const grants = grantsWith([]);
    const resource = resourceOf(reader);
    for (let at = 0; at < maxNamedFaults + 5; at += 1) grants.upsert(resource, broken("", `r${at}`));
    expect(grants.faults.count).toBe(maxNamedFaults + 5);
    expect(grants.faults.named).toHaveLength(maxNamedFaults);
    expect(grants.faults.named[0]).toEqual({
      resource,
      namespace: "",
      name: "r0",
      sentence: "it grants nothing, because its row cannot be read: column rules of an RBAC row is not a list",
    });
    expect(grants.version).toBe(0);
    grants.upsert(resource, rowOfObject(clusterRole("r0")));
    grants.remove(resource, "", "r1");
    expect(grants.faults.count).toBe(maxNamedFaults + 3);
  });

  test("[RB65] of which the agent could read a part are named too", () => {
    const grants = grantsWith([]);
    const row = rowOfObject(reader);
    grants.upsert(resourceOf(reader), { ...row, columns: new Map([...row.columns, ["unreadableCount", 2]]) });
    expect(grants.faults.named.map(({ sentence }) => sentence)).toEqual([
      "2 of its rules or subjects cannot be read and grant nothing",
    ]);
  });

  test("[RB65] a row of the wrong scope neither grants nor removes what another object grants", () => {
    const wide = clusterRoleBinding("wide", "ClusterRole/reader", "Group:dev");
    const grants = grantsWith([reader, wide]);
    grants.upsert(resourceOf(reader), { ...rowOfObject(clusterRole("reader")), namespace: "shop" });
    grants.upsert(resourceOf(bound), { ...rowOfObject(roleBinding("", "wide", "ClusterRole/none")), namespace: "" });
    grants.remove(resourceOf(bound), "", "wide");
    grants.remove(resourceOf(reader), "shop", "reader");
    expect(grants.visibilityOf(alice, "pods")).toEqual({ kind: "all" });
    expect(grants.version).toBe(2);
    expect(grants.faults.count).toBe(0);
  });

  test("[RB67] a row without other rules, subjects or role changes no version and no key", () => {
    const grants = open();
    const [version, key] = [grants.version, grants.grantsKey(alice)];
    put(grants, clusterRole("reader", ...reader.rules));
    put(grants, roleBinding("shop", "devs", "ClusterRole/reader", "Group:dev"));
    grants.remove(resourceOf(bound), "shop", "unknown");
    expect([grants.version, grants.grantsKey(alice)]).toEqual([version, key]);
    put(grants, roleBinding("bank", "others", "ClusterRole/reader", "Group:others"));
    expect([grants.version, grants.grantsKey(alice)]).toEqual([version + 1, key]);
  });
});

describe("[RB68] the resource that rules name", () => {
  test.each(["", "events.k8s.io"])("events are visible by a rule for the API group %j", (apiGroup) => {
    const rule = { verbs: ["list"], apiGroups: [apiGroup], resources: ["events"] };
    const grants = grantsWith([clusterRole("r", rule), clusterRoleBinding("b", "ClusterRole/r", "User:alice")]);
    for (const resource of ["events", "events.k8s.io/events"])
      expect(grants.visibilityOf(alice, resource)).toEqual({ kind: "all" });
  });

  test("of a derived kind is that of its source, since its rows hold what the source holds", () => {
    const derived = "mesh.flotilla.dev/istiocontrolplaneconfigs";
    const named = { verbs: ["list"], apiGroups: ["mesh.flotilla.dev"], resources: ["istiocontrolplaneconfigs"] };
    const source = { verbs: ["list"], apiGroups: ["apps"], resources: ["deployments"] };
    const binding = clusterRoleBinding("b", "ClusterRole/r", "User:alice");
    expect(grantsWith([clusterRole("r", named), binding]).visibilityOf(alice, derived)).toEqual(none);
    expect(grantsWith([clusterRole("r", source), binding]).visibilityOf(alice, derived)).toEqual({ kind: "all" });
  });

  test("of another form is refused", () => {
    expect(thrownCode(() => open().visibilityOf(alice, "a/b/c"))).toBe("INVALID_ARGUMENT");
  });
});

test("[RB66] watch alone shows nothing live, and neither does list alone", () => {
  const grantsFor = (...verbs: readonly string[]): ClusterGrants =>
    grantsWith([clusterRole("r", { ...readPods, verbs }), clusterRoleBinding("b", "ClusterRole/r", "User:alice")]);
  expect(grantsFor("watch").visibilityOf(alice, "pods", "live")).toEqual(none);
  expect(grantsFor("list").visibilityOf(alice, "pods", "live")).toEqual(none);
  expect(grantsFor("list", "watch").visibilityOf(alice, "pods", "live")).toEqual({ kind: "all" });
});

test("[Q-8] [L17] system:masters sees all without a binding, and a user without any binding nothing", () => {
  const root = createSubject({ user: "root", groups: ["system:masters"] });
  expect(grantsWith([]).visibilityOf(root, "pods", "live")).toEqual({ kind: "all" });
  expect(open().visibilityOf(createSubject({ user: "eve" }), "pods")).toEqual(none);
});

describe("[RB67] the cache", () => {
  test("compiles once for a team, in all clusters with the same grants", () => {
    const cache = new GrantsCache();
    const clusters = [grantsWith([reader, bound], cache), grantsWith([reader, bound], cache)];
    const team = Array.from({ length: 10 }, (_, at) => createSubject({ user: `u${at}`, groups: ["dev", `own-${at}`] }));
    const seen = clusters.flatMap((grants) => team.map((user) => grants.visibilityOf(user, "pods")));
    expect(new Set(seen).size).toBe(1);
    expect(cache.state).toMatchObject({ missCount: 1, hitCount: 19, entryCount: 1 });
    expect(cache.ruleLists.size).toBe(1);
  });

  test("keeps what is used when it is full", () => {
    const cache = new GrantsCache({ maxEntries: 3 });
    const bindings = ["a", "b", "c", "d", "e"].map((name) =>
      roleBinding(name, name, "ClusterRole/reader", `User:${name}`),
    );
    const grants = grantsWith([reader, ...bindings], cache);
    const busy = grants.grantsOf(createSubject({ user: "a" }));
    for (const user of ["b", "c", "d", "e"]) {
      grants.visibilityOf(createSubject({ user }), "pods");
      busy.visibilityOf("pods");
      expect(cache.state.entryCount).toBeLessThanOrEqual(3);
    }
    expect(grants.grantsOf(createSubject({ user: "a" }))).toBe(busy);
    expect(cache.state.droppedCount).toBeGreaterThan(0);
  });

  test("resources to which the same roles apply share one result", () => {
    const all = { verbs: ["list", "get"], apiGroups: ["*"], resources: ["*"] };
    const grants = grantsWith([clusterRole("reader", all), bound]);
    expect(grants.visibilityOf(alice, "pods")).toBe(grants.visibilityOf(alice, "apps/deployments"));
  });
});

test("[RB69] [L16] grants with too many names show nothing, and are counted", () => {
  const cache = new GrantsCache({ maxNames: 5 });
  const names = (...resourceNames: readonly string[]) => ({ ...readPods, verbs: ["list"], resourceNames });
  const roles = [clusterRole("r", names("a", "b", "c")), clusterRole("s", names("d", "e", "f"))];
  const one = clusterRoleBinding("one", "ClusterRole/r", "User:alice");
  const grants = grantsWith([...roles, one], cache);
  expect(isVisible(grants.visibilityOf(alice, "pods"), "shop", "a")).toBe(true);
  put(grants, clusterRoleBinding("two", "ClusterRole/s", "User:alice"));
  expect(grants.visibilityOf(alice, "pods")).toEqual(none);
  expect(cache.state.tooLargeCount).toBe(1);
});
