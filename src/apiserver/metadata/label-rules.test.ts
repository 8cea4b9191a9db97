// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isLabelKey, isLabelValue } from "../../model/label-name.ts";
import type { JsonObject } from "../json/json.ts";
import { toSentence } from "../status/field-error.ts";
import { labelKeyErrors, labelValueErrors, validateLabelSelector, validateLabels } from "./label-rules.ts";

const form =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const value =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

test.each<[string, readonly string[]]>([
  ["a_B.c", []],
  ["example.com/a", []],
  ["", ["name part must be non-empty", `name part ${form}`]],
  ["/a", ["prefix part must be non-empty"]],
  ["a/", ["name part must be non-empty", `name part ${form}`]],
  ["A/b", [`prefix part ${subdomain}`]],
  [`${"a".repeat(254)}/b`, ["prefix part must be no more than 253 bytes"]],
  ["a".repeat(64), ["name part must be no more than 63 bytes"]],
  ["a/b/c", [`a valid label key ${form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]],
])("the key %j", (key, errors) => {
  expect(labelKeyErrors(key)).toEqual(errors);
});

test.each<[string, readonly string[]]>([
  ["", []],
  ["a_B.c", []],
  ["-", [value]],
  ["é", [value]],
  ["a".repeat(64), ["must be no more than 63 bytes"]],
])("the value %j", (text, errors) => {
  expect(labelValueErrors(text)).toEqual(errors);
});

test("a text is refused exactly where the model refuses it", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "B", "0", "-", "_", ".", "/", "é", " "), maxLength: 8 });
  fc.assert(
    fc.property(texts, (text) => {
      expect(labelKeyErrors(text).length === 0).toBe(isLabelKey(text));
      expect(labelValueErrors(text).length === 0).toBe(isLabelValue(text));
    }),
    { numRuns: 1_000 },
  );
});

test("labels are checked in the order of their keys, the key before its value", () => {
  const labels: JsonObject = { é: "ok", "?": "!", fine: "fine" };
  expect(validateLabels(labels, "metadata.labels").map(toSentence)).toEqual([
    `metadata.labels: Invalid value: "?": name part ${form}`,
    `metadata.labels: Invalid value: "!": ${value}`,
    `metadata.labels: Invalid value: "é": name part ${form}`,
  ]);
  expect(validateLabels(undefined, "metadata.labels")).toEqual([]);
});

test("a key that is also a property of objects is a label like any other", () => {
  const labels = JSON.parse('{"__proto__": "!", "constructor": "x"}') as JsonObject;
  expect(validateLabels(labels, "l")).toHaveLength(2);
});

const expression = (part: JsonObject): JsonObject => ({ matchExpressions: [{ key: "a", ...part }] });
const at = "spec.selector.matchExpressions[0]";

test.each<[string, JsonObject | undefined, readonly string[]]>([
  ["absent", undefined, []],
  ["empty", {}, []],
  [
    "In without values",
    expression({ operator: "In" }),
    [`${at}.values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`],
  ],
  [
    "Exists with values",
    expression({ operator: "Exists", values: ["x"] }),
    [`${at}.values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`],
  ],
  [
    "an unknown operator and a wrong value",
    expression({ operator: "Foo", values: ["x y"] }),
    [
      `${at}.operator: Invalid value: "Foo": not a valid selector operator`,
      `${at}.values[0]: Invalid value: "x y": ${value}`,
    ],
  ],
  ["an empty value", expression({ operator: "In", values: [""] }), []],
  ["a wrong label", { matchLabels: { a: "-" } }, [`spec.selector.matchLabels: Invalid value: "-": ${value}`]],
])("a label selector: %s", (_name, selector, errors) => {
  expect(validateLabelSelector(selector, "spec.selector").map(toSentence)).toEqual(errors);
});
