// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Draft } from "./json.ts";
import { readTypeMeta } from "./read-type-meta.ts";

test.each<[Draft, object]>([
  [null, { group: "", version: "", kind: "" }],
  [{}, { group: "", version: "", kind: "" }],
  [
    { apiVersion: "v1", kind: "Pod" },
    { group: "", version: "v1", kind: "Pod" },
  ],
  [
    { apiVersion: "apps/v1", kind: null },
    { group: "apps", version: "v1", kind: "" },
  ],
  [
    { apiVersion: "/", kind: "A" },
    { group: "", version: "", kind: "A" },
  ],
])("%j says %o", (value, meta) => {
  expect(readTypeMeta(value, "Pod", "{}").meta).toEqual(meta);
});

const struct = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

// Sentences of kube-apiserver 1.36.3.
test.each<[string, string]>([
  [
    "[]",
    `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${struct} (5b5d)`,
  ],
  [
    '"x"',
    `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${struct} (227822)`,
  ],
  [
    "true",
    `couldn't get version/kind; json parse error: json: cannot unmarshal bool into Go value of type ${struct} (74727565)`,
  ],
  [
    '{"kind":5}',
    `couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
  ],
  ['{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})'],
])("%s is refused", (text, problem) => {
  expect(() => readTypeMeta(JSON.parse(text) as Draft, "ConfigMap", text)).toThrow(
    `the object provided is unrecognized (must be of type ConfigMap): ${problem}`,
  );
});
