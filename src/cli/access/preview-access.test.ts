// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { fakeQueryCall } from "../query/testing/fake-query.ts";
import { previewAccess } from "./preview-access.ts";
import { parseRbacDocuments } from "./rbac-documents.ts";

const binding = `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: readers, namespace: shop }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view }
subjects: [{ kind: Group, apiGroup: rbac.authorization.k8s.io, name: dev }]
`;
const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: view }
rules: [{ apiGroups: [""], resources: [pods], verbs: [list] }]
`;

describe("[CL39] access what-if", () => {
  test("sends the objects of all documents and prints what would change", async () => {
    const { call, stdout, stderr } = fakeQueryCall({
      previewAccess: ({ cluster, objects }) => {
        expect(cluster).toBe("east");
        expect(objects.map((each): unknown => JSON.parse(each))).toMatchObject([
          { kind: "RoleBinding", metadata: { name: "readers" } },
          { kind: "ClusterRole", rules: [{ verbs: ["list"] }] },
        ]);
        return {
          changes: [
            {
              viewer: { kind: "Group", name: "dev" },
              resource: "pods",
              kind: "Pod",
              visibleBefore: 0n,
              visibleAfter: 12n,
              samples: [{ cluster: "east", resource: "pods", namespace: "shop", name: "web" }],
            },
            // Job objects would be visible, and there is none.
            { viewer: { kind: "Group", name: "dev" }, resource: "batch/jobs", kind: "Job" },
          ],
          leftOutCount: 1n,
        };
      },
    });
    await previewAccess(call, "east", { path: "b.yaml", text: `${binding}---\n# nothing\n---${role}` });
    expect(stdout()).toBe("KIND   NAME  SEES  BEFORE  AFTER  SUCH AS\nGroup  dev   Pod   0       12     shop/web\n");
    expect(stderr()).toBe("flotilla: 1 more changes are left out\n");
  });

  test("prints a sentence if nothing would change, and JSON", async () => {
    const none = fakeQueryCall({ previewAccess: () => ({}) });
    await previewAccess(none.call, "east", { path: "b.yaml", text: role });
    expect(none.stdout()).toBe("nothing would appear or disappear\n");
    const json = fakeQueryCall({ previewAccess: () => ({}) }, "json");
    await previewAccess(json.call, "east", { path: "b.yaml", text: role });
    expect(JSON.parse(json.stdout())).toEqual({ changes: [], leftOutCount: 0 });
  });

  test("takes a List as its items", async () => {
    const list = JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [1, 2].map((at) => ({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: `r${at}` },
        rules: [],
      })),
    });
    expect(await parseRbacDocuments("b.json", list)).toHaveLength(2);
  });

  test.each([
    ["", "b.yaml has no object"],
    ["a: 1\nb: [", "b.yaml is not YAML: line 2 has a mistake"],
    ["just text", "b.yaml has no kind; only Role, ClusterRole, RoleBinding, ClusterRoleBinding of"],
    [
      `${role}---\napiVersion: v1\nkind: Secret\nstringData: { password: hunter2 }\n`,
      'b.yaml, document 2 is of kind "Secret"; only Role, ClusterRole,',
    ],
    [
      role.replace("rbac.authorization.k8s.io/v1", "v1"),
      "b.yaml has a wrong or no apiVersion; write rbac.authorization.k8s.io/v1",
    ],
    [binding.replace(", namespace: shop", ""), "b.yaml is refused: RoleBinding: metadata.namespace must be"],
    ["a: *b", "b.yaml"],
    [`${role}---`.repeat(101), "b.yaml has 101 objects; at most 100 are allowed"],
  ])("refuses %j before the hub is called, without its values", async (text, sentence) => {
    const { call } = fakeQueryCall({});
    const refused = previewAccess(call, "east", { path: "b.yaml", text });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining(sentence),
    });
    await expect(refused).rejects.not.toThrow("hunter2");
  });
});
