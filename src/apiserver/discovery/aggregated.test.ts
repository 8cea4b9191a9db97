// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createBuiltinResources } from "../builtin-resources.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import { ResourceRegistry } from "../resources/resource-registry.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { aggregatedDiscovery } from "./aggregated.ts";
import { customWidgets } from "./testing/custom-widgets.ts";

const registry = new ResourceRegistry(createBuiltinResources(loadSchemaTable()));
registry.setCustom([customWidgets]);

function resourceIn(path: "/api" | "/apis", group: string, name: string): unknown {
  const items = listAt(aggregatedDiscovery(registry, path, "v2"), "items") ?? [];
  const found = items.find((item) => (textAt(item, "metadata", "name") ?? "") === group);
  const [version] = listAt(found ?? {}, "versions") ?? [];
  return listAt(version ?? {}, "resources")?.find((resource) => textAt(resource, "resource") === name);
}

test("the core group is alone below /api and has no name", () => {
  const items = listAt(aggregatedDiscovery(registry, "/api", "v2"), "items") ?? [];
  expect(items.map((item) => (item as { metadata: unknown }).metadata)).toEqual([{}]);
});

test("built-in kinds leave out the group and version of the document, unless they are others", () => {
  expect(resourceIn("/apis", "apps", "deployments")).toMatchObject({
    responseKind: { group: "", version: "", kind: "Deployment" },
    scope: "Namespaced",
    singularResource: "deployment",
    subresources: [
      { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" } },
      { subresource: "status", responseKind: { group: "", version: "", kind: "Deployment" } },
    ],
  });
});

test("custom kinds repeat them", () => {
  expect(resourceIn("/apis", "example.com", "widgets")).toMatchObject({
    responseKind: { group: "example.com", version: "v1", kind: "Widget" },
    subresources: [
      { subresource: "status", responseKind: { group: "example.com", version: "v1", kind: "Widget" } },
      { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" } },
    ],
  });
});

test("both versions of the document have the same content", () => {
  const { apiVersion, ...older } = aggregatedDiscovery(registry, "/apis", "v2beta1");
  expect(apiVersion).toBe("apidiscovery.k8s.io/v2beta1");
  expect(aggregatedDiscovery(registry, "/apis", "v2")).toMatchObject(older);
});
