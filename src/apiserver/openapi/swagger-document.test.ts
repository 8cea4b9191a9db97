// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { isList, isObject, type Json, type JsonObject } from "../json/json.ts";
import { objectAt, valueAt } from "../json/json-fields.ts";
import { int, part } from "../protobuf/testing/wire-writer.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { builtInDocument } from "./built-in-document.ts";
import { encodeGnostic } from "./gnostic-document.ts";
import { swaggerDocument } from "./swagger-document.ts";
import { toSwaggerDefinition } from "./swagger-schema.ts";

const table = loadSchemaTable();
const groupVersions = [
  ...new Map(table.resources.map(({ group, version }) => [`${group}/${version}`, { group, version }])).values(),
];
const swagger = swaggerDocument(
  "v1.2.3",
  groupVersions.map(({ group, version }) => builtInDocument(table, group, version)),
);

/** Every `$ref` below a value. */
function references(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap((item) => references(item));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === "$ref" && typeof part === "string" ? [part] : references(part),
  );
}

describe("[AP32] the v2 document of the built-in kinds", () => {
  test("refers only to what it holds", () => {
    const held = new Set(Object.keys(objectAt(swagger, "definitions") ?? {}).map((name) => `#/definitions/${name}`));
    expect(references(swagger).filter((each) => !held.has(each))).toEqual([]);
    expect(held.size).toBeGreaterThan(400);
  });

  test("has neither what v2 lacks nor defaults", () => {
    const spec = objectAt(swagger, "definitions", "io.k8s.api.apps.v1.DeploymentSpec", "properties") ?? {};
    expect(spec["strategy"]).toEqual({
      $ref: "#/definitions/io.k8s.api.apps.v1.DeploymentStrategy",
      "x-kubernetes-patch-strategy": "retainKeys",
    });
    expect(valueAt(swagger, "definitions", "io.k8s.api.core.v1.ContainerPort", "properties", "protocol")).toEqual({
      type: "string",
      enum: ["SCTP", "TCP", "UDP"],
    });
    expect(valueAt(swagger, "definitions", "io.k8s.apimachinery.pkg.util.intstr.IntOrString")).toEqual({
      type: "string",
      format: "int-or-string",
    });
  });

  test("has DeleteOptions of every group, and each type once", () => {
    const kinds = valueAt(
      swagger,
      "definitions",
      "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
      "x-kubernetes-group-version-kind",
    );
    expect(kinds).toContainEqual({ group: "", version: "v1", kind: "DeleteOptions" });
    expect(kinds).toContainEqual({ group: "apps", version: "v1", kind: "DeleteOptions" });
    expect(new Set((kinds as readonly JsonObject[]).map((kind) => JSON.stringify(kind))).size).toBe(
      (kinds as readonly JsonObject[]).length,
    );
  });

  test("has parameters of requests, bodies among them, and media types", () => {
    const path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
    expect(valueAt(swagger, "paths", path, "get", "parameters")).toBeUndefined();
    expect(objectAt(swagger, "paths", path, "patch")).toMatchObject({
      operationId: "patchAppsV1NamespacedDeployment",
      tags: ["apps_v1"],
      consumes: expect.arrayContaining(["application/strategic-merge-patch+json"]),
      produces: ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
      parameters: expect.arrayContaining([
        {
          name: "body",
          in: "body",
          required: true,
          schema: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch" },
        },
        { name: "dryRun", in: "query", type: "string", uniqueItems: true },
      ]),
      "x-kubernetes-group-version-kind": { group: "apps", version: "v1", kind: "Deployment" },
    });
  });
});

describe("[AP32] the schema of a custom resource in v2", () => {
  const convert = (schema: JsonObject): JsonObject => toSwaggerDefinition("com.example.v1.Widget", schema);
  const text: JsonObject = { type: "string" };

  // As a real server publishes them.
  test.each<[string, JsonObject, JsonObject]>([
    ["nullable: no type", { type: "string", nullable: true, maxLength: 3 }, { maxLength: 3 }],
    ["nullable: no properties", { type: "object", nullable: true, properties: { x: text } }, {}],
    [
      "alternatives",
      { type: "integer", title: "T", allOf: [{ anyOf: [{ minimum: 3 }] }] },
      { type: "integer", title: "T" },
    ],
    [
      "unknown fields",
      { type: "object", "x-kubernetes-preserve-unknown-fields": true, required: ["x"], properties: { x: text } },
      { "x-kubernetes-preserve-unknown-fields": true, required: ["x"] },
    ],
    ["defaults", { type: "array", default: [], items: { ...text, default: "" } }, { type: "array", items: text }],
    [
      "maps",
      { type: "object", additionalProperties: { ...text, nullable: true } },
      { type: "object", additionalProperties: {} },
    ],
    ["any value", { type: "object", additionalProperties: true }, { type: "object", additionalProperties: true }],
  ])("%s", (_label, given, expected) => {
    expect(convert({ type: "object", properties: { a: given } })).toEqual({
      type: "object",
      properties: { a: expected },
    });
  });

  test("a required field that may be null is not required", () => {
    const properties = { a: { ...text, nullable: true }, b: text };
    expect(convert({ type: "object", required: ["a", "b"], properties })["required"]).toEqual(["b"]);
    expect(convert({ type: "object", required: ["a"], properties })).not.toHaveProperty("required");
  });

  test("a schema that preserves unknown fields has only its kind", () => {
    const kinds = [{ group: "example.com", version: "v1", kind: "Widget" }];
    const given = {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { spec: { type: "object" } },
      "x-kubernetes-group-version-kind": kinds,
    };
    expect(convert(given)).toEqual({ type: "object", "x-kubernetes-group-version-kind": kinds });
  });
});

test("[AP32] gnostic's form: extensions are YAML, zero values are left out", () => {
  const schema = {
    type: "object",
    minimum: 0,
    maximum: 1.5,
    enum: ["a", "*", ""],
    additionalProperties: true,
    "x-kubernetes-group-version-kind": [{ group: "", kind: "K", version: "v1" }],
  };
  const kinds = '- group: ""\n  kind: K\n  version: v1\n';
  const enumItems = ["a\n", "'*'\n", '""\n'].flatMap((yaml) => part(20, part(2, yaml)));
  const maximum = [(7 << 3) | 1, ...new Uint8Array(new Float64Array([1.5]).buffer)];
  const expected = [
    ...part(1, "2.0"),
    ...part(
      9,
      part(
        1,
        part(1, "K"),
        part(
          2,
          maximum,
          enumItems,
          part(21, int(2, 1)),
          part(22, part(1, "object")),
          part(31, part(1, "x-kubernetes-group-version-kind"), part(2, part(2, kinds))),
        ),
      ),
    ),
  ];
  expect([...encodeGnostic({ swagger: "2.0", definitions: { K: schema } })]).toEqual(expected);
});
