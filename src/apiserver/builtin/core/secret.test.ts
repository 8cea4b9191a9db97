// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type DraftObject, type JsonObject, setKey } from "../../json/json.ts";
import { toSentence } from "../../status/field-error.ts";
import { encodeBase64, maxContentBytes } from "./config-content.ts";
import { secretStrategy } from "./secret.ts";

test("texts are folded into the bytes, any key included", () => {
  const stringData: DraftObject = { a: "é" };
  setKey(stringData, "__proto__", "x");
  const secret: DraftObject = { data: { a: "AA==", b: "AA==" }, stringData };
  secretStrategy.setDefaults?.(secret);
  expect(JSON.stringify(secret)).toBe('{"data":{"a":"w6k=","b":"AA==","__proto__":"eA=="},"type":"Opaque"}');
});

test.for<[string, JsonObject, readonly string[]]>([
  ["tls", { type: "kubernetes.io/tls", data: { "tls.crt": "" } }, ["data[tls.key]: Required value"]],
  ["one of the basic pair", { type: "kubernetes.io/basic-auth", data: { username: "" } }, []],
  [
    "a list as docker config",
    { type: "kubernetes.io/dockercfg", data: { ".dockercfg": encodeBase64("[]") } },
    [
      'data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
  ],
  ["as much as there may be", { data: { a: encodeBase64("x".repeat(maxContentBytes)) } }, []],
  [
    "one byte more",
    { data: { a: encodeBase64("x".repeat(maxContentBytes + 1)) } },
    ["data: Too long: may not be more than 1048576 bytes"],
  ],
])("%s", ([, secret, expected]) => {
  expect(secretStrategy.validate?.(secret).map(toSentence)).toEqual(expected);
});

test("the type never changes, and what is sealed stays as it is", () => {
  const old = { type: "a/b", immutable: true, data: { a: "YQ==" } };
  expect(secretStrategy.validateUpdate?.({ type: "c/d" }, old).map(toSentence)).toEqual([
    'type: Invalid value: "c/d": field is immutable',
    "immutable: Forbidden: field is immutable when `immutable` is set",
    "data: Forbidden: field is immutable when `immutable` is set",
  ]);
});
