// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { anonymousSubject } from "../../model/subject.ts";
import { createBuiltinResources } from "../builtin-resources.ts";
import { compileCrd } from "../crd/definition/compile-crd.ts";
import type { JsonObject } from "../json/json.ts";
import type { Resource } from "../resources/resource.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import type { ApiRequest } from "./api-request.ts";
import { readDeleteOptions, readObject } from "./read-body.ts";
import type { FieldValidation } from "./write-options.ts";

const schemas = loadSchemaTable();
const builtin = createBuiltinResources(schemas);

function request(text: string, contentType: string | undefined): ApiRequest {
  return {
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    user: anonymousSubject,
    signal: new AbortController().signal,
    header: (name) => (name === "content-type" ? contentType : undefined),
    headersUnder: () => [],
    body: () => Promise.resolve(new TextEncoder().encode(text)),
  };
}

function resourceOf(name: string): Resource {
  const found = builtin.find(({ facts }) => facts.resource === name);
  if (found === undefined) throw new Error(`there are no ${name}`);
  return found;
}

const widgets = compileCrd(
  {
    metadata: { name: "widgets.example.com", generation: 1 },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
            },
          },
        },
      ],
    },
  },
  "v1",
);

async function read(
  resource: Resource,
  text: string,
  {
    validation = "Warn",
    contentType = "application/json",
  }: { validation?: FieldValidation; contentType?: string } = {},
): Promise<{ readonly object: JsonObject; readonly warnings: readonly string[] }> {
  const warnings = new Set<string>();
  const object = await readObject(request(text, contentType), { table: schemas, resource, validation, warnings });
  return { object, warnings: [...warnings] };
}

const scheme = 'in scheme "pkg/runtime/scheme.go:111"';

describe("a body of a built-in kind", () => {
  const configMaps = resourceOf("configmaps");

  test.each(["{}", "null", '{"kind":"ConfigMap"}', '{"apiVersion":"v1"}'])("%s is what the path says", async (text) => {
    expect((await read(configMaps, text)).object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
  });

  test.each([
    [
      "[1]",
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array",
    ],
    ['{"apiVersion":"a/b/c"}', "unexpected GroupVersion string: a/b/c"],
    [
      '{"kind":"Secret"}',
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    ['{"kind":"Gadget"}', `no kind "Gadget" is registered for version "v1" ${scheme}`],
    ['{"apiVersion":"v2"}', `no kind "ConfigMap" is registered for version "v2" ${scheme}`],
    ['{"data":{"a":1}}', 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number'],
  ])("%s is refused", async (text, message) => {
    await expect(read(configMaps, text)).rejects.toThrow(message);
  });

  test("one of another version is refused for that, if it is of the same kind", async () => {
    const scalers = builtin.find(({ facts }) => facts.kind === "HorizontalPodAutoscaler" && facts.version === "v2");
    const body = '{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}';
    const message =
      "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)";
    await expect(read(scalers as Resource, body)).rejects.toThrow(message);
  });

  test("repeated keys are decoded as in Go, also without a complaint", async () => {
    const text = '{"data":{"a":"1"},"data":{"b":"2"}}';
    const { object, warnings } = await read(configMaps, text, { validation: "Ignore" });
    expect(object["data"]).toEqual({ a: "1", b: "2" });
    expect(warnings).toEqual([]);
  });

  test("complaints are warnings, or together one refusal", async () => {
    const text = '{"nope":1,"nope":2}';
    expect((await read(configMaps, text)).warnings).toEqual(['unknown field "nope"']);
    await expect(read(configMaps, text, { validation: "Strict" })).rejects.toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "nope"',
    );
  });

  test("owners that are named twice are kept once, with a warning", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u1" };
    const body = { metadata: { ownerReferences: [owner, { ...owner, name: "b" }, owner] } };
    const { object, warnings } = await read(configMaps, JSON.stringify(body));
    expect(object["metadata"]).toMatchObject({ ownerReferences: [owner, { ...owner, name: "b" }] });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/contains duplicate entries; .* duplicate UID\(s\) observed: u1$/);
  });

  test.each(["application/x-www-form-urlencoded", "nonsense"])("%s is no type of a body", async (contentType) => {
    await expect(read(configMaps, "{}", { contentType })).rejects.toMatchObject({
      code: 415,
      details: undefined,
      message:
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    });
  });
});

describe("a body of a custom kind", () => {
  test.each([
    ['{"metadata":{}}', "must be of type Widget): Object 'Kind' is missing in '{\"metadata\":{}}' ({\"metadata\":{}})"],
    ['{"kind":"Widget"}', "the API version in the data () does not match the expected API version (example.com/v1)"],
    [
      '{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"x"}}',
      'Gadget.example.com "x" is invalid: kind: Invalid value: "Gadget": must be Widget',
    ],
  ])("%s is refused", async (text, message) => {
    await expect(read(widgets, text)).rejects.toThrow(message);
  });

  test("unknown fields and repeated keys are complained of", async () => {
    const text = '{"apiVersion":"example.com/v1","kind":"Widget","spec":{"size":1,"size":2,"x":3}}';
    const { object, warnings } = await read(widgets, text);
    expect(object["spec"]).toEqual({ size: 2 });
    expect(warnings).toEqual(['duplicate field "spec.size"', 'unknown field "spec.x"']);
  });
});

describe("the options of a delete", () => {
  test("may be absent", async () => {
    expect(await readDeleteOptions(request("", undefined), schemas)).toBeUndefined();
  });

  test.each([
    ["{", "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    ['{"kind":"ConfigMap","apiVersion":"v1"}', `no kind "ConfigMap" is registered for version "v1" ${scheme}`],
    ['{"kind":"Pod"}', `no kind "Pod" is registered for version "meta.k8s.io/v1" ${scheme}`],
    ['{"dryRun":"All"}', "json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string"],
  ])("%s is refused without a frame", async (text, message) => {
    await expect(readDeleteOptions(request(text, "application/json"), schemas)).rejects.toMatchObject({ message });
  });
});
