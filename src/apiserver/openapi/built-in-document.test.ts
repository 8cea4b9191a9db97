// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { isList, isObject, type Json, type JsonObject } from "../json/json.ts";
import { objectAt, valueAt } from "../json/json-fields.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { builtInDocument } from "./built-in-document.ts";
import { contentHash } from "./openapi-index.ts";

const table = loadSchemaTable();
const groupVersions = [...new Set(table.resources.map(({ group, version }) => `${group}/${version}`))];
const apps = builtInDocument(table, "apps", "v1");
const core = builtInDocument(table, "", "v1");
const pod = "io.k8s.api.core.v1";
const deployments = "/apis/apps/v1/namespaces/{namespace}/deployments";

function schema(document: JsonObject, name: string): JsonObject | undefined {
  return objectAt(document, "components", "schemas", name);
}

/** Every `$ref` below a value. */
function references(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap((item) => references(item));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === "$ref" && typeof part === "string" ? [part] : references(part),
  );
}

describe("the document of a built-in group and version", () => {
  test.each(groupVersions)("%s refers only to what it holds", (groupVersion) => {
    const [group = "", version = ""] = groupVersion.split("/");
    const document = builtInDocument(table, group, version);
    const held = new Set(Object.keys(objectAt(document, "components", "schemas") ?? {}));
    const missing = references(document).filter((each) => !held.has(each.replace("#/components/schemas/", "")));
    expect(missing).toEqual([]);
    expect(Object.keys(objectAt(document, "paths") ?? {})).not.toEqual([]);
  });

  test("has what kubectl needs to validate and patch", () => {
    const patch = objectAt(apps, "paths", `${deployments}/{name}`, "patch") ?? {};
    expect(patch["x-kubernetes-group-version-kind"]).toEqual({ group: "apps", version: "v1", kind: "Deployment" });
    expect(patch["x-kubernetes-action"]).toBe("patch");
    expect(patch["parameters"]).toContainEqual({
      name: "fieldValidation",
      in: "query",
      schema: { type: "string", uniqueItems: true },
    });
    expect(Object.keys(objectAt(patch, "requestBody", "content") ?? {})).toContain(
      "application/strategic-merge-patch+json",
    );
  });

  test("has the paths of collections, objects and subresources, as the verbs say", () => {
    const methods = (path: string): readonly string[] => Object.keys(objectAt(apps, "paths", path) ?? {});
    expect(methods(deployments)).toEqual(["get", "post", "delete", "parameters"]);
    expect(methods("/apis/apps/v1/deployments")).toEqual(["get", "parameters"]);
    expect(methods(`${deployments}/{name}`)).toEqual(["get", "put", "patch", "delete", "parameters"]);
    expect(valueAt(apps, "paths", `${deployments}/{name}/scale`, "put", "x-kubernetes-group-version-kind")).toEqual({
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
    });
    expect(methods(`${deployments}/{name}/finalize`)).toEqual([]);
    expect(objectAt(core, "paths", "/api/v1/namespaces/{name}/finalize", "put")).toBeDefined();
    expect(objectAt(core, "paths", "/api/v1/namespaces/{namespace}/pods/{name}/exec")).toBeUndefined();
  });

  test("describes fields as the real server does", () => {
    expect(valueAt(schema(core, `${pod}.PodSpec`) ?? {}, "properties", "containers")).toEqual({
      type: "array",
      items: { default: {}, allOf: [{ $ref: `#/components/schemas/${pod}.Container` }] },
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-patch-merge-key": "name",
      "x-kubernetes-patch-strategy": "merge",
    });
    expect(valueAt(schema(core, `${pod}.ContainerPort`) ?? {}, "properties")).toMatchObject({
      containerPort: { type: "integer", format: "int32", default: 0 },
      hostPort: { type: "integer", format: "int32" },
      protocol: { type: "string", default: "TCP", enum: ["SCTP", "TCP", "UDP"] },
    });
    expect(valueAt(schema(core, `${pod}.ResourceRequirements`) ?? {}, "properties", "limits")).toEqual({
      type: "object",
      additionalProperties: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity" },
    });
    expect(schema(core, `${pod}.LocalObjectReference`)).toMatchObject({ "x-kubernetes-map-type": "atomic" });
    expect(schema(apps, "io.k8s.api.apps.v1.Deployment")).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "apps", version: "v1", kind: "Deployment" }],
    });
  });

  test("[AP32] a GET of one object has no empty list of parameters", () => {
    expect(objectAt(apps, "paths", `${deployments}/{name}`, "get")).not.toHaveProperty("parameters");
    expect(valueAt(apps, "paths", deployments, "get", "parameters")).not.toEqual([]);
  });

  test("leaves out what is not served", () => {
    const document = builtInDocument(table, "apps", "v1", ({ resource }) => resource === "deployments");
    expect(objectAt(document, "paths", "/apis/apps/v1/daemonsets")).toBeUndefined();
    expect(schema(document, "io.k8s.api.apps.v1.DaemonSet")).toBeUndefined();
  });

  test("has the same hash whenever it is made, and another one with other content", () => {
    expect(contentHash(builtInDocument(table, "apps", "v1"))).toBe(contentHash(apps));
    expect(contentHash(core)).not.toBe(contentHash(apps));
    expect(contentHash(apps)).toMatch(/^[0-9A-F]{128}$/);
  });
});
