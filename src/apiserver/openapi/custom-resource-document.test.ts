// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type JsonObject } from "../json/json.ts";
import { objectAt } from "../json/json-fields.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import type { ResourceFacts } from "../schema/schema.ts";
import { type CustomResourceInput, customResourceDocument } from "./custom-resource-document.ts";

const table = loadSchemaTable();
const facts: ResourceFacts = {
  group: "stable.example.com",
  version: "v1",
  resource: "widgets",
  singular: "widget",
  kind: "Widget",
  namespaced: true,
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  shortNames: [],
  categories: [],
  subresources: [],
  storageVersionHash: undefined,
};
const schema: JsonObject = {
  type: "object",
  required: ["spec"],
  properties: {
    metadata: { type: "object", properties: { name: { type: "string", maxLength: 3 } } },
    spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};
const widget: CustomResourceInput = { facts, listKind: "WidgetList", schema, hasStatus: true, hasScale: true };
const gadget: CustomResourceInput = {
  facts: { ...facts, resource: "gadgets", kind: "Gadget", namespaced: false },
  listKind: "GadgetBunch",
  schema: { type: "object" },
  hasStatus: false,
  hasScale: false,
};
const document = customResourceDocument(table, [widget, gadget]);

test("a custom resource is published under the reversed group with the standard metadata", () => {
  expect(objectAt(document, "components", "schemas", "com.example.stable.v1.Widget")).toEqual({
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
      spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
    "x-kubernetes-group-version-kind": [{ group: "stable.example.com", version: "v1", kind: "Widget" }],
  });
  expect(objectAt(document, "components", "schemas", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")).toBeDefined();
});

test("its list has the kind of the definition", () => {
  expect(objectAt(document, "components", "schemas", "com.example.stable.v1.GadgetBunch")).toMatchObject({
    required: ["items"],
    "x-kubernetes-group-version-kind": [{ kind: "GadgetBunch" }],
  });
  const answer = objectAt(
    document,
    "paths",
    "/apis/stable.example.com/v1/gadgets",
    "get",
    "responses",
    "200",
    "content",
  );
  expect(answer).toMatchObject({
    "application/json": { schema: { $ref: "#/components/schemas/com.example.stable.v1.GadgetBunch" } },
  });
});

test("the paths of several resources stand in one document, each with its subresources", () => {
  const widgets = "/apis/stable.example.com/v1/namespaces/{namespace}/widgets";
  expect(Object.keys(objectAt(document, "paths") ?? {})).toEqual([
    widgets,
    "/apis/stable.example.com/v1/widgets",
    `${widgets}/{name}`,
    `${widgets}/{name}/status`,
    `${widgets}/{name}/scale`,
    "/apis/stable.example.com/v1/gadgets",
    "/apis/stable.example.com/v1/gadgets/{name}",
  ]);
});

test("a custom resource has no strategic merge patch, by which kubectl chooses", () => {
  const path = "/apis/stable.example.com/v1/gadgets/{name}";
  const content = objectAt(document, "paths", path, "patch", "requestBody", "content") ?? {};
  expect(Object.keys(content)).toEqual([
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
  ]);
});

test("[AP32] an embedded resource has the properties of all objects", () => {
  const embedded = { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } };
  const template = { ...schema, properties: { template: embedded } };
  const document = customResourceDocument(table, [{ ...widget, schema: template }]);
  expect(objectAt(document, "components", "schemas", "com.example.stable.v1.Widget", "properties", "template")).toEqual(
    {
      type: "object",
      required: ["kind", "apiVersion"],
      properties: {
        spec: { type: "object" },
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
      },
      "x-kubernetes-embedded-resource": true,
    },
  );
});
