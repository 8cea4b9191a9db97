// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createBuiltinResources } from "../builtin-resources.ts";
import { customWidgets } from "../discovery/testing/custom-widgets.ts";
import { copyJson, type JsonObject } from "../json/json.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { decodePatched, type PatchedObject } from "./decode-patched.ts";
import { parsePatch } from "./patch-object.ts";

const table = loadSchemaTable();
const configMaps = createBuiltinResources(table).find(({ facts }) => facts.resource === "configmaps");
const configMap = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" } };
const widget = { kind: "Widget", apiVersion: "example.com/v1", metadata: { name: "a" } };

function decode(
  patched: JsonObject,
  options: Partial<Pick<PatchedObject, "type" | "patch" | "validation" | "duplicates">> = {},
): { readonly object: JsonObject; readonly warnings: readonly string[] } {
  const warnings = new Set<string>();
  const resource = patched["spec"] === undefined ? configMaps : customWidgets;
  if (resource === undefined) throw new Error("there are no config maps");
  const usual = { type: "merge", patch: {}, duplicates: ["d"], validation: "Warn" } as const;
  const context: PatchedObject = { table, resource, warnings, ...usual, ...options };
  return { object: decodePatched(context, copyJson(patched)), warnings: [...warnings] };
}

test("a patched object of the right kind is taken, with its complaints", () => {
  const { object, warnings } = decode({ ...configMap, data: { a: "1" }, nope: 1 });
  expect(object).toEqual({ ...configMap, data: { a: "1" } });
  expect(warnings).toEqual(["d", 'unknown field "nope"']);
});

test("a JSON patch is complained of itself", () => {
  const patch = [{ op: "add", path: "/x", foo: 1 }];
  expect(decode(configMap, { type: "json", patch }).warnings).toEqual(['json patch unknown field "[0].foo"']);
});

describe("what cannot be of its kind is refused with what was patched", () => {
  const shown = String.raw`"{\"apiVersion\":\"v1\",\"data\":{\"a\":1},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}"`;
  test.each([
    [
      { ...configMap, data: { a: 1 } },
      "merge",
      `${shown}: json: cannot unmarshal number into Go struct field ConfigMap.data of type string`,
    ],
    [{ ...configMap, kind: "Secret" }, "json", "converting (v1.Secret) to (core.ConfigMap): unknown conversion"],
    [{ ...configMap, apiVersion: "v2" }, "merge", 'no kind "ConfigMap" is registered for version "v2"'],
  ] as const)("%j by %s", (patched, type, message) => {
    expect(() => decode(patched, { type })).toThrow(message);
  });

  test("a strategic merge patch does not look at the kind, and shows the patch", () => {
    expect(decode({ ...configMap, kind: "Secret" }, { type: "strategic" }).object["kind"]).toBe("ConfigMap");
    const patch = { nope: { b: 1, a: "x" } };
    const strict = { type: "strategic", patch, validation: "Strict", duplicates: [] } as const;
    expect(() => decode({ ...configMap, nope: 1 }, strict)).toThrow(
      'patch: Invalid value: "map[nope:map[a:x b:1]]": strict decoding error: unknown field "nope"',
    );
  });

  test.each([
    [
      { ...widget, spec: {}, kind: "Gadget" },
      'Gadget.example.com "a" is invalid: kind: Invalid value: "Gadget": must be Widget',
    ],
    [{ ...widget, spec: {}, kind: "" }, "Object 'Kind' is missing in"],
    [{ ...widget, spec: {}, apiVersion: "" }, "Object 'apiVersion' is missing in 'object has no apiVersion field'"],
  ])("%j", (patched, message) => expect(() => decode(patched)).toThrow(message));
});

test.each([
  ["merge", "error decoding patch: unexpected end of JSON input"],
  ["json", "error decoding patch: unexpected end of JSON input"],
  ["strategic", "unexpected end of JSON input"],
] as const)("a %s patch that is cut off", (type, message) => {
  expect(() => parsePatch("{", type)).toThrow(new RegExp(`^${message}$`));
});
