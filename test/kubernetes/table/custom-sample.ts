// SPDX-License-Identifier: Apache-2.0
// A custom resource with columns of every type, and paths of every kind that the real server takes.
import type { Json, JsonObject } from "../../../src/apiserver/json/json.ts";

const column = (name: string, type: string, jsonPath: string, more: JsonObject = {}): JsonObject => ({
  name,
  type,
  jsonPath,
  ...more,
});

/** Columns of version v1; the last one cannot be read and ends the table there. */
export const customColumns: readonly JsonObject[] = [
  column("Text", "string", ".spec.text", { description: "A text.", priority: 1 }),
  column("Count", "integer", ".spec.count", { format: "int32" }),
  column("Ratio", "number", ".spec.ratio"),
  column("On", "boolean", ".spec.on"),
  column("When", "date", ".spec.when"),
  column("Number text", "string", ".spec.ratio"),
  column("List", "string", ".spec.list"),
  column("First", "string", ".spec.list[0]"),
  column("Last", "integer", ".spec.list[-1]"),
  column("All", "string", ".spec.list[*]"),
  column("Map", "string", ".spec.map"),
  column("Key", "string", ".spec.map['a']"),
  column("Label", "string", ".metadata.labels.example\\.com/team"),
  column("Ready", "string", '.spec.conditions[?(@.type=="Ready")].status'),
  column("Big", "string", ".spec.conditions[?(@.weight>2)].type"),
  column("Deep", "string", "..status"),
  column("Wrong type", "integer", ".spec.text"),
  column("Absent", "string", ".status.phase"),
  column("Null", "string", ".spec.nothing"),
  column("Whole", "string", ".", { priority: 1 }),
  column("Broken", "string", ".spec.list[x]"),
  column("After", "string", ".spec.text"),
];

const openSchema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

/** Served in two versions: v1 has columns, v2 has none. */
export const customDefinition: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      { name: "v1", served: true, storage: true, schema: openSchema, additionalPrinterColumns: customColumns },
      { name: "v2", served: true, storage: false, schema: openSchema },
    ],
  },
};

const widget = (name: string, spec: Json, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, ...metadata },
  spec,
});

export const customObjects: readonly JsonObject[] = [
  widget(
    "full",
    {
      text: "hello",
      count: 3,
      ratio: 0.25,
      on: true,
      when: "2020-01-02T03:04:05Z",
      list: [7, "x", 9],
      map: { z: "<&>", a: "1", m: { y: [1, 2.5] } },
      conditions: [
        { type: "Other", status: "False", weight: 1 },
        { type: "Ready", status: "True", weight: 3 },
      ],
      nothing: null,
    },
    { labels: { "example.com/team": "red" } },
  ),
  widget("empty", {}),
  widget("odd", {
    text: 5,
    count: 1.9,
    ratio: 1234567.5,
    on: "yes",
    when: "yesterday",
    list: [],
    map: "text",
    conditions: [{ type: "Ready", weight: "3" }],
  }),
  widget("ahead", { text: "", count: "3", ratio: 12, on: false, when: "2999-01-01T00:00:00Z", list: "abc", map: [] }),
  widget("blank", { text: true, when: "", ratio: 0.000_000_25, list: [null, [1]], conditions: {} }),
];
