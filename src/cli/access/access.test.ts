// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { completeCoverage, fakeQueryCall, staleCoverage } from "../query/testing/fake-query.ts";
import { explainAccess } from "./explain-access.ts";
import { listAccessRules } from "./list-access-rules.ts";
import { listViewers } from "./list-viewers.ts";

const explanation = {
  isVisible: true,
  sentence: "RoleBinding shop/readers gives Role shop/reader, which allows list of pods",
  binding: "shop/readers",
  role: "shop/reader",
  verb: "list",
};

describe("[CL39] [Q-39] access explain", () => {
  const words = ["ann", "east", "pods", "web"];

  test("prints binding, role and verb, or what is missing", async () => {
    const { call, stdout } = fakeQueryCall({
      explainAccess: ({ user, cluster, kind, namespace, name }) => {
        expect([user?.name, user?.groups, cluster, kind, namespace, name]).toEqual([
          "ann",
          ["dev"],
          "east",
          "pods",
          "shop",
          "web",
        ]);
        return explanation;
      },
    });
    await explainAccess(call, { words, me: false, groups: ["dev"], namespace: "shop" });
    expect(stdout()).toBe(
      `visible  yes\nwhy      ${explanation.sentence}\nbinding  shop/readers\nrole     shop/reader\nverb     list\n`,
    );
    const hidden = { sentence: "no binding\u001b[2J allows list", caveat: "other authorizers may allow it" };
    const no = fakeQueryCall({ explainAccess: () => hidden });
    await explainAccess(no.call, { words, me: false, groups: [], namespace: "" });
    expect(no.stdout()).toBe(
      "visible  no\nwhy      no binding\\u001b[2J allows list\nnote     other authorizers may allow it\n",
    );
  });

  test.each([
    [["-", "east", "pods", "web"], false],
    [["east", "pods", "web"], true],
  ])("%j with --me %s is about the caller", async (given, me) => {
    const { call, stdout } = fakeQueryCall(
      {
        explainAccess: ({ user, cluster, name }) => {
          expect([user, cluster, name]).toEqual([undefined, "east", "web"]);
          return explanation;
        },
      },
      "json",
    );
    await explainAccess(call, { words: given, me, groups: [], namespace: "" });
    expect(JSON.parse(stdout())).toMatchObject({ isVisible: true, verb: "list" });
  });

  test.each([
    [["ann", "east", "pods"], false, [], "the arguments must be USER CLUSTER KIND NAME; - is yourself"],
    [words, true, [], "the arguments must be CLUSTER KIND NAME; with --me there is no USER"],
    [
      ["-", "east", "pods", "web"],
      false,
      ["dev"],
      "--groups works only with USER; your own groups are those of your token",
    ],
  ])("[CL22] %j with --me %s and groups %j is refused", async (given, me, groups, sentence) => {
    const { call } = fakeQueryCall({});
    const refused = explainAccess(call, { words: given, me, groups, namespace: "" });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message: sentence });
  });
});

describe("[CL39] access who", () => {
  const address = { cluster: "east", kind: "pods", namespace: "shop", name: "web" };

  test("prints who sees an object and why; those left out are counted", async () => {
    const viewers = [
      { kind: "User", name: "ann", binding: "shop/readers", role: "shop/reader", verb: "list" },
      { kind: "ServiceAccount", name: "api", namespace: "shop", binding: "all", role: "view", verb: "get" },
    ];
    const { call, stdout, stderr } = fakeQueryCall({ listViewers: () => ({ viewers, leftOutCount: 2n }) });
    await listViewers(call, address);
    expect(stdout()).toBe(
      [
        "KIND            NAME      VERB  ROLE         BINDING",
        "User            ann       list  shop/reader  shop/readers",
        "ServiceAccount  shop/api  get   view         all",
        "",
      ].join("\n"),
    );
    expect(stderr()).toBe("flotilla: 2 more are left out\n");
  });

  test("prints a sentence if there is no one, and JSON", async () => {
    const none = fakeQueryCall({ listViewers: () => ({}) });
    await listViewers(none.call, address);
    expect(none.stdout()).toBe("no binding shows it\n");
    const json = fakeQueryCall({ listViewers: () => ({}) }, "json");
    await listViewers(json.call, address);
    expect(JSON.parse(json.stdout())).toEqual({ viewers: [], leftOutCount: 0 });
  });
});

describe("[CL39] [Q-38] access rules", () => {
  const rules = [
    {
      cluster: "leaf-01",
      role: "OrgA",
      namespace: "my-ns",
      accessibleKinds: ["Kustomization", "Bucket"],
      roleKind: "Role",
      binding: "org-a",
      bindingKind: "RoleBinding",
      subject: "Group org-a",
    },
    { cluster: "leaf-02", role: "view", accessibleKinds: ["Pod"], binding: "v", bindingKind: "ClusterRoleBinding" },
  ];
  const plain = { user: "", groups: [], clusters: [], isWide: false };

  test("are printed as cluster, role, namespace and accessible kinds", async () => {
    const { call, stdout } = fakeQueryCall({
      listAccessRulesForUser: ({ user, clusters }) => {
        expect([user?.name, user?.groups, clusters]).toEqual(["ann", ["org-a"], ["leaf-*"]]);
        return { rules, coverage: completeCoverage };
      },
    });
    await listAccessRules(call, { user: "ann", groups: ["org-a"], clusters: ["leaf-*"], isWide: false });
    expect(stdout()).toBe(
      [
        "CLUSTER  ROLE  NAMESPACE  ACCESSIBLE KINDS",
        "leaf-01  OrgA  my-ns      Kustomization,Bucket",
        "leaf-02  view  *          Pod",
        "",
      ].join("\n"),
    );
  });

  test("with -o wide have the binding and its subject", async () => {
    const { call, stdout } = fakeQueryCall({
      listAccessRulesForUser: ({ user }) => {
        expect(user).toBeUndefined();
        return { rules, coverage: completeCoverage };
      },
    });
    await listAccessRules(call, { ...plain, isWide: true });
    expect(stdout()).toMatch(/BINDING +SUBJECT +NAMES\n.*RoleBinding\/org-a +Group org-a +\*\n/);
  });

  test("of some clusters only end with PARTIAL, also as JSON", async () => {
    const { call, stdout } = fakeQueryCall(
      { listAccessRulesForUser: () => ({ rules, coverage: staleCoverage }) },
      "json",
    );
    await expect(listAccessRules(call, plain)).rejects.toMatchObject({ code: "PARTIAL" });
    expect(JSON.parse(stdout())).toMatchObject({ rules: [{ role: "OrgA" }, {}], coverage: { staleCount: 4 } });
  });
});
