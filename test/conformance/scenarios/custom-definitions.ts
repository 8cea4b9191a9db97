// SPDX-License-Identifier: Apache-2.0
import type { Topic } from "../scenario.ts";
import { asTable, mergePatch } from "./bodies.ts";
import { crds, define, version, widget, widgetPath, widgets } from "./widgets.ts";

const plain = { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } };
const withDefault = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { size: { type: "integer" }, color: { type: "string", default: "red" } } },
  },
};

/** CustomResourceDefinitions themselves: their life, their changes, their mistakes. */
export const customDefinitions: Topic = {
  name: "custom-definitions",
  scenarios: [
    {
      id: "definition-life",
      steps: [
        ...define("wdef", widgets("wdef", [version("v1")], { names: { plural: "widgets", kind: "Widget" } })),
        { name: "default columns", method: "GET", path: widgetPath("wdef"), headers: asTable },
        {
          name: "definitions as a table",
          method: "GET",
          path: `${crds}/widgets.wdef.\${run}.example.com`,
          headers: asTable,
        },
        {
          name: "put one in",
          method: "POST",
          path: widgetPath("wdef"),
          body: {
            ...widget("wdef", "held", { size: 1 }),
            metadata: { name: "held", finalizers: ["example.com/hold"] },
          },
        },
        {
          name: "its group cannot change",
          method: "PATCH",
          path: `${crds}/widgets.wdef.\${run}.example.com`,
          headers: mergePatch,
          body: { spec: { group: "other.example.com" } },
        },
        {
          name: "its scope cannot change",
          method: "PATCH",
          path: `${crds}/widgets.wdef.\${run}.example.com`,
          headers: mergePatch,
          body: { spec: { scope: "Cluster" } },
        },
        {
          name: "delete",
          method: "DELETE",
          path: `${crds}/widgets.wdef.\${run}.example.com`,
          pick: ["metadata.finalizers", "metadata.deletionGracePeriodSeconds"],
        },
        {
          name: "it goes",
          method: "GET",
          path: `${crds}/widgets.wdef.\${run}.example.com`,
          wait: { at: "status.conditions.2.status", equals: "True" },
          pick: ["metadata.finalizers", "status.conditions.2.type"],
        },
        {
          name: "its object is asked to go",
          method: "GET",
          path: `${widgetPath("wdef")}/held`,
          wait: { at: "metadata.deletionGracePeriodSeconds", equals: 0 },
        },
        {
          name: "nothing can be put in",
          method: "POST",
          path: widgetPath("wdef"),
          body: widget("wdef", "late", { size: 1 }),
          wait: { status: 403 },
        },
        {
          name: "let it go",
          method: "PATCH",
          path: `${widgetPath("wdef")}/held`,
          headers: mergePatch,
          body: { metadata: { finalizers: null } },
        },
        { name: "gone", method: "GET", path: `${crds}/widgets.wdef.\${run}.example.com`, wait: { status: 404 } },
        { name: "its objects are not served", method: "GET", path: widgetPath("wdef"), wait: { status: 404 } },
      ],
    },
    {
      id: "bad-definitions",
      steps: [
        { name: "empty", method: "POST", path: crds, body: { metadata: { name: "x" }, spec: {} } },
        {
          name: "another name",
          method: "POST",
          path: crds,
          body: { ...widgets("wbad", [version("v1")]), metadata: { name: "other" } },
        },
        {
          name: "no schema",
          method: "POST",
          path: crds,
          body: widgets("wbad", [{ name: "v1", served: true, storage: true }]),
        },
        {
          name: "no stored version",
          method: "POST",
          path: crds,
          body: widgets("wbad", [version("v1", { storage: false })]),
        },
        { name: "a bad version", method: "POST", path: crds, body: widgets("wbad", [version("V1")]) },
        {
          name: "a bad scope",
          method: "POST",
          path: crds,
          body: widgets("wbad", [version("v1")], { scope: "Galaxy" }),
        },
        {
          name: "a schema that is not structural",
          method: "POST",
          path: crds,
          body: widgets("wbad", [
            version("v1", {}, { type: "object", properties: { spec: { properties: { a: { type: "string" } } } } }),
          ]),
        },
        {
          name: "a default of a wrong type",
          method: "POST",
          path: crds,
          body: widgets("wbad", [
            version("v1", {}, { type: "object", properties: { a: { type: "string", default: 1 } } }),
          ]),
        },
        {
          name: "an array without items",
          method: "POST",
          path: crds,
          body: widgets("wbad", [version("v1", {}, { type: "object", properties: { a: { type: "array" } } })]),
        },
        {
          name: "a bad pattern",
          method: "POST",
          path: crds,
          body: widgets("wbad", [
            version("v1", {}, { type: "object", properties: { a: { type: "string", pattern: "(" } } }),
          ]),
        },
        {
          name: "a bad type",
          method: "POST",
          path: crds,
          body: widgets("wbad", [version("v1", {}, { type: "object", properties: { a: { type: "money" } } })]),
        },
        {
          name: "unprotected group",
          method: "POST",
          path: crds,
          body: {
            metadata: { name: "widgets.wbad.k8s.io" },
            spec: {
              group: "wbad.k8s.io",
              scope: "Namespaced",
              names: { plural: "widgets", kind: "Widget" },
              versions: [version("v1")],
            },
          },
        },
      ],
    },
    {
      id: "definition-changes",
      steps: [
        ...define("wchg", widgets("wchg", [version("v1", {}, plain)])),
        { name: "put one in", method: "POST", path: widgetPath("wchg"), body: widget("wchg", "a", {}) },
        {
          name: "one more default",
          method: "PATCH",
          path: `${crds}/widgets.wchg.\${run}.example.com`,
          headers: mergePatch,
          body: {
            spec: {
              versions: [version("v1", { deprecated: true, deprecationWarning: "widgets are going" }, withDefault)],
            },
          },
        },
        {
          name: "it is filled in on reading",
          method: "GET",
          path: `${widgetPath("wchg")}/a`,
          wait: { at: "spec.color", equals: "red" },
        },
        {
          name: "the kind is taken",
          method: "POST",
          path: crds,
          body: {
            ...widgets("wchg", [version("v1", {}, plain)], { names: { plural: "others", kind: "Widget" } }),
            metadata: { name: "others.wchg.${run}.example.com" },
          },
        },
        {
          name: "it is not accepted",
          method: "GET",
          path: `${crds}/others.wchg.\${run}.example.com`,
          wait: { at: "status.conditions.1.type", equals: "Established" },
          pick: ["status"],
        },
        { name: "it is not served", method: "GET", path: "/apis/wchg.${run}.example.com/v1/namespaces/${ns}/others" },
      ],
    },
    {
      id: "cluster-widgets",
      steps: [
        {
          name: "define",
          method: "POST",
          path: crds,
          body: widgets("wclu", [version("v1", {}, plain)], { scope: "Cluster" }),
          pick: ["spec.scope", "spec.conversion", "status"],
        },
        { name: "served", method: "GET", path: "/apis/wclu.${run}.example.com/v1/widgets", wait: { status: 200 } },
        {
          name: "create",
          method: "POST",
          path: "/apis/wclu.${run}.example.com/v1/widgets",
          body: widget("wclu", "a", { size: 1 }),
          wait: { status: 201 },
        },
        {
          name: "create in a namespace",
          method: "POST",
          path: widgetPath("wclu"),
          body: widget("wclu", "b", { size: 1 }),
        },
        {
          name: "create with a namespace",
          method: "POST",
          path: "/apis/wclu.${run}.example.com/v1/widgets",
          body: { ...widget("wclu", "b", { size: 1 }), metadata: { name: "b", namespace: "x" } },
        },
        { name: "get", method: "GET", path: "/apis/wclu.${run}.example.com/v1/widgets/a" },
        { name: "get as bob", method: "GET", path: "/apis/wclu.${run}.example.com/v1/widgets/a", as: "bob" },
      ],
    },
  ],
};
