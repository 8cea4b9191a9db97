// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { configMapResource, toConfigMap } from "../../../test/support/api-storage.ts";
import { compileCrd } from "../crd/definition/compile-crd.ts";
import { widgets } from "../crd/testing/recorded.ts";
import { ParsedObjects } from "./cached-object.ts";
import { apiVersionOf, renderItem, renderObject } from "./render-object.ts";
import { encodeBody } from "./stored-body.ts";

const decoder = new TextDecoder();
const parsed = new ParsedObjects(4);
const configMap = parsed.add("n", "a", 5, encodeBody(toConfigMap({ name: "a", namespace: "n", value: "v" })));

test("the core group has no name in apiVersion", () => {
  expect(apiVersionOf({ group: "", version: "v1" })).toBe("v1");
  expect(apiVersionOf({ group: "apps", version: "v1" })).toBe("apps/v1");
});

test("an object has its kind; a built-in one in a list does not", () => {
  expect(decoder.decode(renderObject(configMapResource, configMap))).toBe(
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"5","name":"a","namespace":"n"},"data":{"value":"v"}}',
  );
  expect(decoder.decode(renderItem(configMapResource, configMap))).toBe(
    '{"metadata":{"resourceVersion":"5","name":"a","namespace":"n"},"data":{"value":"v"}}',
  );
});

test("the event of a deletion has another revision than the object", () => {
  expect(JSON.parse(decoder.decode(renderObject(configMapResource, configMap, 9)))).toMatchObject({
    metadata: { resourceVersion: "9" },
  });
});

test.each([
  ["as it was written", 1],
  ["after the definition has changed", 2],
])("a custom object says its kind in lists too, %s", (_, generation) => {
  const definition = widgets({
    metadata: { generation },
    version: {
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { spec: { type: "object", properties: { size: { type: "integer", default: 3 } } } },
        },
      },
    },
  });
  const resource = compileCrd(definition, "v1");
  const stored = parsed.add("n", "w", 7, encodeBody({ metadata: { name: "w" }, spec: { old: true } }));
  const expected = {
    kind: "Widget",
    apiVersion: "example.com/v1",
    metadata: { name: "w", resourceVersion: "7" },
    // Fields that are no longer known are dropped and new defaults filled in, once the definition has changed.
    spec: generation === 1 ? { old: true } : { size: 3 },
  };
  expect(JSON.parse(decoder.decode(renderObject(resource, stored)))).toEqual(expected);
  expect(JSON.parse(decoder.decode(renderItem(resource, stored)))).toEqual(expected);
});
