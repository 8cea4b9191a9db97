// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonObject } from "../json/json.ts";
import { objectAt } from "../json/json-fields.ts";
import { decodeBody, encodeBody, readLabels } from "./stored-body.ts";

/** Texts that could be taken for the structure around them. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('"', "\\", '\\"', '"labels":{', "}", "]},", "labels"),
);
const value = fc.oneof(text, fc.constantFrom(null, true, 0, -1.5e300), fc.jsonValue({ maxDepth: 3 }));
const labels = fc.dictionary(text, text);
const metadata = fc
  .array(fc.tuple(fc.oneof(text, fc.constant("annotations")), fc.oneof(value, fc.record({ labels }))))
  .map((entries) => Object.fromEntries(entries.filter(([key]) => key !== "labels" && key !== "resourceVersion")));

test("labels read without parsing are those of the parsed object, at any position", () => {
  fc.assert(
    fc.property(metadata, fc.option(labels), metadata, (before, own, behind) => {
      const meta = { name: "a", ...before, ...(own === null ? {} : { labels: own }), ...behind } as JsonObject;
      const body = encodeBody({ metadata: meta, spec: { template: { metadata: { labels: { not: "these" } } } } });
      expect(readLabels(body)).toEqual(objectAt(decodeBody(body, 1), "metadata", "labels"));
    }),
  );
});
