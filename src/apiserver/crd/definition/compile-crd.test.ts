// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { copyJson, type DraftObject, type JsonObject } from "../../json/json.ts";
import { formatFieldError, type RecordedDefinition, widgets } from "../testing/recorded.ts";
import { compileCrd } from "./compile-crd.ts";
import { setCrdDefaults } from "./crd-defaults.ts";

const schema = {
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: { r: { type: "integer" }, colour: { type: "string", default: "red" } },
      },
      status: {
        type: "object",
        properties: { r: { type: "integer", maximum: 5 }, s: { type: "string" }, p: { type: "string", pattern: "^a" } },
      },
    },
  },
};
const scale = { specReplicasPath: ".spec.r", statusReplicasPath: ".status.r", labelSelectorPath: ".status.s" };

function compile(version: JsonObject = {}, change: RecordedDefinition["change"] = {}): ReturnType<typeof compileCrd> {
  const crd = widgets({ ...change, version: { schema, ...version }, metadata: { generation: 1, ...change.metadata } });
  setCrdDefaults(crd);
  return compileCrd(crd, "v1");
}

const withParts = compile({ subresources: { status: {}, scale } });

function widget(rest: JsonObject = {}): DraftObject {
  return {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "a", generation: 3 },
    ...copyJson(rest),
  };
}

test("the resource has the facts of kube-apiserver's discovery", () => {
  const { facts, storageId, listKind, isCustom } = withParts;
  expect({ storageId, listKind, isCustom }).toEqual({
    storageId: "example.com/widgets",
    listKind: "WidgetList",
    isCustom: true,
  });
  expect(facts).toEqual({
    group: "example.com",
    version: "v1",
    resource: "widgets",
    singular: "widget",
    kind: "Widget",
    namespaced: true,
    verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
    shortNames: [],
    categories: [],
    subresources: [
      { name: "status", group: "example.com", version: "v1", kind: "Widget", verbs: ["get", "patch", "update"] },
      { name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] },
    ],
    storageVersionHash: undefined,
  });
  expect(withParts.scale).toEqual({
    specReplicas: ["spec", "r"],
    statusReplicas: ["status", "r"],
    labelSelector: ["status", "s"],
  });
});

describe("a body", () => {
  test("loses what is unknown, metadata first, and is complained of", () => {
    const { object, complaints } = withParts.clean(
      widget({
        metadata: { name: "a", foo: 1, labels: {}, ownerReferences: [{ name: "n", bar: 1 }] },
        spec: { z: 1, b: 2 },
      }),
    );
    expect(complaints).toEqual([
      'unknown field "metadata.foo"',
      'unknown field "metadata.ownerReferences[0].bar"',
      'unknown field "spec.b"',
      'unknown field "spec.z"',
    ]);
    expect(object).toEqual(
      widget({
        metadata: { name: "a", ownerReferences: [{ apiVersion: "", kind: "", name: "n", uid: "" }] },
        spec: {},
      }),
    );
  });

  test.each<[string, JsonObject, string]>([
    ["labels", { labels: { a: 1 } }, "number into Go struct field ObjectMeta.labels of type string"],
    ["a list", { finalizers: "x" }, "string into Go struct field ObjectMeta.finalizers of type []string"],
    ["a generation", { generation: 1.5 }, "number 1.5 into Go struct field ObjectMeta.generation of type int64"],
    [
      "an owner",
      { ownerReferences: [{ controller: "x" }] },
      "string into Go struct field OwnerReference.ownerReferences.controller of type bool",
    ],
  ])("with %s of a wrong type is refused", (_, metadata, what) => {
    const refusal = `Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal ${what}`;
    expect(() => withParts.clean(widget({ metadata }))).toThrow(
      expect.objectContaining({ code: 400, message: refusal }),
    );
  });
});

describe("with a status endpoint", () => {
  const { strategy } = withParts;

  test("a write to the status takes nothing else", () => {
    const object = widget({ metadata: { name: "a", labels: { z: "1" } }, spec: { r: 9 }, status: { r: 1 } });
    strategy.prepareForStatusUpdate?.(object, widget({ spec: { r: 1 }, status: { r: 0 } }), 0);
    expect(object).toEqual(widget({ spec: { r: 1 }, status: { r: 1 } }));
  });

  // As in kube-apiserver.
  test.each<[JsonObject, readonly string[]]>([
    [{ r: 6 }, ["FieldValueInvalid status.r: Invalid value: 6: r in body should be less than or equal to 5"]],
    [
      { r: "x", p: "b" },
      [
        "FieldValueInvalid status.p: Invalid value: \"b\": p in body should match '^a'",
        'FieldValueTypeInvalid status.r: Invalid value: "string": r in body must be of type integer: "string"',
        "FieldValueInvalid .status.r: Invalid value: 0: .status.r accessor error: x is of the type string, expected int64",
      ],
    ],
    [{ r: -1 }, ["FieldValueInvalid .status.r: Invalid value: -1: should be a non-negative integer"]],
    [
      { s: 5 },
      [
        'FieldValueTypeInvalid status.s: Invalid value: "integer": s in body must be of type string: "integer"',
        'FieldValueInvalid .status.s: Invalid value: "": .status.s accessor error: 5 is of the type int64, expected string',
      ],
    ],
  ])("the status %j is refused", (status, errors) => {
    expect(strategy.validateStatusUpdate?.(widget({ status }), widget()).map(formatFieldError)).toEqual(errors);
  });

  test.each<[number | string, readonly string[]]>([
    [-1, ["FieldValueInvalid .spec.r: Invalid value: -1: should be a non-negative integer"]],
    [
      3_000_000_000,
      ["FieldValueInvalid .spec.r: Invalid value: 3000000000: should be less than or equal to 2147483647"],
    ],
    [
      "x",
      [
        'FieldValueTypeInvalid spec.r: Invalid value: "string": spec.r in body must be of type integer: "string"',
        "FieldValueInvalid .spec.r: Invalid value: 0: .spec.r accessor error: x is of the type string, expected int64",
      ],
    ],
  ])("the replicas %j are refused", (r, errors) => {
    expect(strategy.validate?.(widget({ spec: { r } })).map(formatFieldError)).toEqual(errors);
  });
});

test("without a status endpoint a change of the status counts as a generation", () => {
  const { strategy } = compile();
  const context = {} as Parameters<NonNullable<typeof strategy.prepareForUpdate>>[2];
  const changed = widget({ status: { r: 1 } });
  strategy.prepareForUpdate?.(changed, widget(), context);
  expect(changed["metadata"]).toEqual({ name: "a", generation: 4 });
  const same = widget({ status: { r: 1 } });
  strategy.prepareForUpdate?.(same, changed, context);
  expect(same["metadata"]).toEqual({ name: "a", generation: 3 });
});

test("objects get new defaults and lose old fields on reading, once the definition was changed", () => {
  const { fromStorage } = compile({}, { metadata: { generation: 2 } });
  const stored = widget({ spec: { gone: 1 } });
  fromStorage?.(stored);
  expect(stored).toEqual(widget({ spec: { colour: "red" } }));
  expect(compile().fromStorage).toBeUndefined();
});

test("columns are those of the definition, or the age", () => {
  const { printer } = compile({
    additionalPrinterColumns: [{ name: "Colour", type: "string", jsonPath: ".spec.colour" }],
  });
  expect(printer.columns.map(({ name }) => name)).toEqual(["Name", "Colour"]);
  expect(printer.row(widget({ spec: { colour: "blue" } }), 0).cells).toEqual(["a", "blue"]);
  expect(withParts.printer.columns.map(({ name }) => name)).toEqual(["Name", "Age"]);
});

test("a deprecated version has its own warning or the default one", () => {
  expect(compile({ deprecated: true }).deprecationWarning).toBe("example.com/v1 Widget is deprecated");
  expect(compile({ deprecated: true, deprecationWarning: "use v2" }).deprecationWarning).toBe("use v2");
  expect(withParts.deprecationWarning).toBeUndefined();
});

test("finalizers that others might use too are warned of when they are new", () => {
  const finalizers = ["mine", "example.com", "example.com/ok", "orphan"];
  const object = widget({ metadata: { name: "a", finalizers } });
  expect(withParts.strategy.warnings?.(object, undefined)).toEqual([
    'metadata.finalizers: "example.com": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    'metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
  ]);
  expect(withParts.strategy.warnings?.(object, object)).toEqual([]);
});
