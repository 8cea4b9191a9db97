// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { resourceOf, rowOfObject } from "../../index/access/testing/rbac-sample-rows.ts";
import type { BuiltRow } from "../../index/relations/testing/built-fleet.ts";
import type { RbacObject } from "../../rbac/rbac-types.ts";
import { ReadFleet } from "../rows/testing/read-fleet.ts";
import { bindingTo, contentOf, viewerRole } from "./testing/live-rig.ts";

const columns = [
  ...["rules", "subjects"].map((name) => ({ name, type: "stringList" as const })),
  ...["roleGroup", "roleKind", "roleName"].map((name) => ({ name, type: "string" as const })),
];

function grantRow(object: RbacObject): BuiltRow {
  const { namespace, name, columns: values } = rowOfObject(object);
  const content = contentOf(name, { namespace, columns: values });
  return { cluster: "east", resource: resourceOf(object), kind: object.kind, columns, content };
}

const podRow = (namespace: string, name: string): BuiltRow => ({
  cluster: "east",
  resource: "pods",
  kind: "Pod",
  columns: [],
  content: contentOf(name, { namespace }),
});

test("[RB76] [L17] a preview counts and names no object that the user who tries it may not see", async () => {
  const fleet = new ReadFleet(["east"]);
  const rbac = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"];
  const grants = [viewerRole("rbac", rbac), bindingTo("User", "ada", "rbac"), viewerRole("pods", ["pods"])];
  await fleet.foldAll([
    ...[...grants, bindingTo("User", "ada", "pods", "shop")].map(grantRow),
    podRow("shop", "web"),
    podRow("vault", "secret"),
  ]);
  const objects = [
    JSON.stringify({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "eve" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "pods" },
      subjects: [{ kind: "User", name: "eve" }],
    }),
  ];
  const { changes } = await fleet.reader.queries({ user: "ada", groups: [] }).previewAccess("east", objects);
  expect(changes.find(({ resource }) => resource === "pods")).toMatchObject({
    visibleBefore: 0,
    visibleAfter: 1,
    samples: [{ cluster: "east", resource: "pods", namespace: "shop", name: "web" }],
  });
});
