// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createBuiltinResources } from "../builtin-resources.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import { ResourceRegistry, type ServedVersion } from "../resources/resource-registry.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { apiGroup, apiGroupList, apiResourceList } from "./legacy.ts";
import { customWidgets } from "./testing/custom-widgets.ts";

const registry = new ResourceRegistry(createBuiltinResources(loadSchemaTable()));
registry.setCustom([customWidgets]);

function served(group: string): ServedVersion {
  const [version] = registry.groups.find((each) => each.group === group)?.versions ?? [];
  if (version === undefined) throw new Error(`there is no group ${group}`);
  return version;
}

test("the list of groups is without the core group, which has a path of its own", () => {
  const names = (listAt(apiGroupList(registry), "groups") ?? []).map((group) => textAt(group, "name"));
  expect(names).toContain("apps");
  expect(names).toContain("example.com");
  expect(names).not.toContain("");
});

test("a group prefers its first version", () => {
  const found = registry.groups.find(({ group }) => group === "autoscaling");
  expect(found && apiGroup(found)).toMatchObject({
    kind: "APIGroup",
    name: "autoscaling",
    preferredVersion: { groupVersion: "autoscaling/v2", version: "v2" },
  });
});

test("only the core list has no apiVersion", () => {
  expect(apiResourceList(served(""))).not.toHaveProperty("apiVersion");
  expect(apiResourceList(served("apps"))).toMatchObject({ apiVersion: "v1", groupVersion: "apps/v1" });
});

test("built-in resources are sorted by name, subresources behind theirs", () => {
  const names = (listAt(apiResourceList(served("apps")), "resources") ?? []).map((each) => textAt(each, "name") ?? "");
  expect(names).toEqual([...names].sort());
  expect(names).toContain("deployments/scale");
});

test("a custom resource has a storage version hash, and its status before its scale", () => {
  expect(listAt(apiResourceList(served("example.com")), "resources")).toMatchObject([
    { name: "widgets", shortNames: ["wd"], storageVersionHash: "gIwvi5rymmg=" },
    { name: "widgets/status", kind: "Widget" },
    { name: "widgets/scale", group: "autoscaling", version: "v1", kind: "Scale" },
  ]);
});
