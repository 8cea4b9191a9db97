// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { asMetadataList, asTable, jsonPatch, mergePatch, strategicPatch } from "./bodies.ts";
import { define, version, widget, widgetPath, widgets } from "./widgets.ts";

function create(
  scenario: string,
  name: string,
  spec: unknown,
  title: string,
  query: Readonly<Record<string, string>> = {},
): Step {
  return { name: title, method: "POST", path: widgetPath(scenario), query, body: widget(scenario, name, spec) };
}

function invalid(spec: unknown, title: string): Step {
  return create("wval", "w", spec, title);
}

const columns = [
  { name: "Size", type: "integer", jsonPath: ".spec.size", description: "how large" },
  { name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 },
  { name: "Tags", type: "string", jsonPath: ".spec.tags" },
  { name: "Phase", type: "string", jsonPath: ".status.phase" },
  { name: "Since", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

const withSubresources = {
  subresources: {
    status: {},
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
  },
};

export const customResources: Topic = {
  name: "custom-resources",
  scenarios: [
    {
      id: "widget-life",
      steps: [
        ...define("wlife", widgets("wlife", [version("v1")])),
        { name: "group", method: "GET", path: "/apis/wlife.${run}.example.com" },
        {
          name: "resources",
          method: "GET",
          path: "/apis/wlife.${run}.example.com/v1",
          wait: { status: 200, at: "resources.0.name", equals: "widgets" },
        },
        create("wlife", "a", { size: 3 }, "create with defaults"),
        create(
          "wlife",
          "b",
          { size: 3, color: null, note: null, port: "http", big: 1, tags: ["x", "y"] },
          "null is dropped or kept",
        ),
        create(
          "wlife",
          "c",
          { size: 3, extra: 1, free: { any: { thing: [1, "x"] } }, parts: [{ id: "p", more: 1 }], labels: { l: "1" } },
          "unknown fields are pruned",
        ),
        create("wlife", "d", { size: 3, extra: 1, parts: [{ id: "p", more: 1 }] }, "unknown fields, strict", {
          fieldValidation: "Strict",
        }),
        create("wlife", "d", { size: 3, extra: 1, parts: [{ id: "p", more: 1 }] }, "unknown fields, ignored", {
          fieldValidation: "Ignore",
        }),
        {
          name: "an embedded object",
          method: "POST",
          path: widgetPath("wlife"),
          body: widget("wlife", "e", {
            size: 1,
            template: {
              apiVersion: "v1",
              kind: "Pod",
              metadata: { name: "p", labels: { a: "b" }, nope: 1 },
              spec: {},
              other: 1,
            },
          }),
        },
        {
          name: "an integer beyond 2^53",
          method: "POST",
          path: widgetPath("wlife"),
          headers: { "content-type": "application/json" },
          text: '{"apiVersion":"wlife.${run}.example.com/v1","kind":"Widget","metadata":{"name":"f"},"spec":{"size":1,"big":9007199254740993,"free":{"n":9223372036854775807,"f":1.50,"e":1e3}}}',
        },
        { name: "get it", method: "GET", path: `${widgetPath("wlife")}/f` },
        { name: "list", method: "GET", path: widgetPath("wlife") },
        {
          name: "list of all namespaces",
          method: "GET",
          path: "/apis/wlife.${run}.example.com/v1/widgets",
          query: { limit: "2" },
        },
        {
          name: "as metadata",
          method: "GET",
          path: widgetPath("wlife"),
          query: { limit: "1" },
          headers: asMetadataList,
        },
        {
          name: "replace without a resourceVersion",
          method: "PUT",
          path: `${widgetPath("wlife")}/a`,
          body: widget("wlife", "a", { size: 4 }),
        },
        {
          name: "merge patch",
          method: "PATCH",
          path: `${widgetPath("wlife")}/a`,
          headers: mergePatch,
          body: { spec: { size: 5 } },
        },
        {
          name: "a patch that changes nothing",
          method: "PATCH",
          path: `${widgetPath("wlife")}/a`,
          headers: mergePatch,
          body: { spec: { size: 5 } },
        },
        {
          name: "labels do not count up",
          method: "PATCH",
          path: `${widgetPath("wlife")}/a`,
          headers: mergePatch,
          body: { metadata: { labels: { a: "b" } } },
          pick: ["metadata.generation"],
        },
        {
          name: "JSON patch",
          method: "PATCH",
          path: `${widgetPath("wlife")}/a`,
          headers: jsonPatch,
          body: [{ op: "replace", path: "/spec/size", value: 6 }],
        },
        {
          name: "strategic merge patch",
          method: "PATCH",
          path: `${widgetPath("wlife")}/a`,
          headers: strategicPatch,
          body: {},
        },
        {
          name: "field selector",
          method: "GET",
          path: widgetPath("wlife"),
          query: { fieldSelector: "metadata.name=a" },
        },
        {
          name: "field selector that is not served",
          method: "GET",
          path: widgetPath("wlife"),
          query: { fieldSelector: "spec.size=3" },
        },
        {
          name: "YAML",
          method: "POST",
          path: widgetPath("wlife"),
          headers: { "content-type": "application/yaml" },
          text: "apiVersion: wlife.${run}.example.com/v1\nkind: Widget\nmetadata:\n  name: yam\nspec:\n  size: 2\n",
        },
        {
          name: "no kind",
          method: "POST",
          path: widgetPath("wlife"),
          body: { metadata: { name: "x" }, spec: { size: 1 } },
        },
        {
          name: "another kind",
          method: "POST",
          path: widgetPath("wlife"),
          body: { ...widget("wlife", "x", { size: 1 }), kind: "Gadget" },
        },
        {
          name: "another version",
          method: "POST",
          path: widgetPath("wlife"),
          body: { ...widget("wlife", "x", { size: 1 }), apiVersion: "wlife.${run}.example.com/v2" },
        },
        { name: "no status subresource", method: "GET", path: `${widgetPath("wlife")}/a/status` },
        { name: "not found", method: "GET", path: `${widgetPath("wlife")}/none` },
        { name: "exists", method: "POST", path: widgetPath("wlife"), body: widget("wlife", "a", { size: 1 }) },
        { name: "delete", method: "DELETE", path: `${widgetPath("wlife")}/a` },
        { name: "delete all", method: "DELETE", path: widgetPath("wlife"), pick: ["kind"] },
      ],
    },
    {
      id: "widget-values",
      steps: [
        ...define("wval", widgets("wval", [version("v1")])),
        invalid({}, "a required field"),
        invalid({ size: 11 }, "too much"),
        invalid({ size: 0 }, "too little"),
        invalid({ size: "3" }, "a text for a number"),
        invalid({ size: 1.5 }, "a fraction"),
        invalid({ size: 1, color: "green" }, "not in the enumeration"),
        invalid({ size: 1, name: "x" }, "too short"),
        invalid({ size: 1, name: "abcdef" }, "too long"),
        invalid({ size: 1, name: "AB" }, "no match"),
        invalid({ size: 1, ratio: 0 }, "an exclusive minimum"),
        invalid({ size: 1, port: true }, "neither integer nor text"),
        invalid({ size: 1, when: "today" }, "a bad format"),
        invalid({ size: 1, labels: { a: 1 } }, "a bad value of a map"),
        invalid({ size: 1, tags: ["a", "b", "a"] }, "a set with duplicates"),
        invalid({ size: 1, tags: ["a", "b", "c", "d"] }, "too many"),
        invalid({ size: 1, parts: [{ id: "a" }, { id: "a" }] }, "a map list with duplicates"),
        invalid({ size: 1, parts: [{ count: 1 }] }, "an item without its key"),
        invalid({ size: 1, template: { metadata: {} } }, "an embedded object without a kind"),
        invalid("x", "a text for an object"),
        create("wval", "Bad_Name", { size: 1 }, "a bad name"),
        {
          name: "bad metadata",
          method: "POST",
          path: widgetPath("wval"),
          body: {
            ...widget("wval", "m", { size: 1 }),
            metadata: { name: "m", labels: { "-": "x" }, finalizers: ["x"] },
          },
        },
        {
          name: "metadata of a wrong type",
          method: "POST",
          path: widgetPath("wval"),
          body: { ...widget("wval", "m", { size: 1 }), metadata: { name: "m", labels: { x: 1 } } },
        },
      ],
    },
    {
      id: "widget-subresources",
      steps: [
        ...define("wsub", widgets("wsub", [version("v1", { ...withSubresources, additionalPrinterColumns: columns })])),
        {
          name: "create with a status",
          method: "POST",
          path: widgetPath("wsub"),
          body: widget("wsub", "a", { size: 1, tags: ["x"] }, { status: { phase: "Lost" } }),
        },
        {
          name: "status through the object",
          method: "PATCH",
          path: `${widgetPath("wsub")}/a`,
          headers: mergePatch,
          body: { status: { phase: "Lost" } },
        },
        {
          name: "status",
          method: "PATCH",
          path: `${widgetPath("wsub")}/a/status`,
          headers: mergePatch,
          body: {
            status: { phase: "Good", replicas: 1, selector: "a=b", nope: 1 },
            spec: { size: 9 },
            metadata: { labels: { l: "1" } },
          },
        },
        {
          name: "an invalid status",
          method: "PATCH",
          path: `${widgetPath("wsub")}/a/status`,
          headers: mergePatch,
          body: { status: { phase: 1 } },
        },
        { name: "get status", method: "GET", path: `${widgetPath("wsub")}/a/status` },
        { name: "scale", method: "GET", path: `${widgetPath("wsub")}/a/scale` },
        {
          name: "scale up",
          method: "PATCH",
          path: `${widgetPath("wsub")}/a/scale`,
          headers: mergePatch,
          body: { spec: { replicas: 4 } },
        },
        {
          name: "scale below zero",
          method: "PATCH",
          path: `${widgetPath("wsub")}/a/scale`,
          headers: mergePatch,
          body: { spec: { replicas: -4 } },
        },
        {
          name: "put a scale",
          method: "PUT",
          path: `${widgetPath("wsub")}/a/scale`,
          body: {
            apiVersion: "autoscaling/v1",
            kind: "Scale",
            metadata: { name: "a", namespace: "${ns}" },
            spec: { replicas: 2 },
          },
        },
        { name: "it was counted up", method: "GET", path: `${widgetPath("wsub")}/a` },
        {
          name: "a spec counts",
          method: "PATCH",
          path: `${widgetPath("wsub")}/a`,
          headers: mergePatch,
          body: { spec: { size: 2 } },
          pick: ["metadata.generation"],
        },
        { name: "table", method: "GET", path: widgetPath("wsub"), headers: asTable },
        {
          name: "table of one",
          method: "GET",
          path: `${widgetPath("wsub")}/a`,
          query: { includeObject: "None" },
          headers: asTable,
        },
        {
          name: "resources",
          method: "GET",
          path: "/apis/wsub.${run}.example.com/v1",
          wait: { status: 200, at: "resources.0.name", equals: "widgets" },
        },
      ],
    },
  ],
};
