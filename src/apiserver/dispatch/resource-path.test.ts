// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createBuiltinResources } from "../builtin-resources.ts";
import { customWidgets } from "../discovery/testing/custom-widgets.ts";
import { ResourceRegistry } from "../resources/resource-registry.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { pageNotFound, respondUnknownPath } from "./resource-path.ts";

const registry = new ResourceRegistry(createBuiltinResources(loadSchemaTable()));
registry.setCustom([customWidgets]);

test.each(["/api/v9", "/api/v1/nope", "/apis/apps/v9", "/apis/apps/v9/deployments", "/apis/apps/v1/nope/x"])(
  "%s has a route above it, which answers with a Status",
  (path) =>
    expect(() => respondUnknownPath(registry, path)).toThrow("the server could not find the requested resource"),
);

test.each(["/nope", "/apis/nope", "/apis/nope/v1/x", "/apis/example.com/v1/nope"])("%s has none", (path) => {
  expect(respondUnknownPath(registry, path)).toBe(pageNotFound);
});
