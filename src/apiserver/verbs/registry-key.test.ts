// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createBuiltinResources } from "../builtin-resources.ts";
import { customWidgets } from "../discovery/testing/custom-widgets.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { registryKey } from "./registry-key.ts";

const all = [...createBuiltinResources(loadSchemaTable()), customWidgets];

test.each([
  ["configmaps", "n", "/registry/configmaps/n/x"],
  ["services", "n", "/registry/services/specs/n/x"],
  ["nodes", "", "/registry/minions/x"],
  ["deployments", "n", "/registry/deployments/n/x"],
  ["customresourcedefinitions", "", "/registry/apiextensions.k8s.io/customresourcedefinitions/x"],
  ["widgets", "n", "/registry/example.com/widgets/n/x"],
])("%s", (plural, namespace, key) => {
  const resource = all.find(({ facts }) => facts.resource === plural);
  expect(resource && registryKey({ resource, namespace, name: "x" })).toBe(key);
});
