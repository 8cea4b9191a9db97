// SPDX-License-Identifier: Apache-2.0
// A CustomResourceDefinition for scenarios. Its group is that of the run, so that scenarios do not meet.
import type { Step } from "../scenario.ts";

type Body = Readonly<Record<string, unknown>>;

export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** What a version holds besides its name. */
const widgetSchema: Body = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, maximum: 10 },
        color: { type: "string", enum: ["red", "blue"], default: "red" },
        name: { type: "string", minLength: 2, maxLength: 5, pattern: "^[a-z]+$" },
        note: { type: "string", nullable: true },
        big: { type: "integer", format: "int64" },
        ratio: { type: "number", exclusiveMinimum: true, minimum: 0 },
        port: { "x-kubernetes-int-or-string": true },
        when: { type: "string", format: "date-time" },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        labels: { type: "object", additionalProperties: { type: "string" } },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set", maxItems: 3 },
        parts: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["id"],
          items: {
            type: "object",
            required: ["id"],
            properties: { id: { type: "string" }, count: { type: "integer", default: 1 } },
          },
        },
        replicas: { type: "integer", default: 1 },
        template: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
      },
    },
    status: {
      type: "object",
      properties: { phase: { type: "string" }, replicas: { type: "integer" }, selector: { type: "string" } },
    },
  },
};

/** One version of a definition; `more` adds subresources and columns. */
export function version(name: string, more: Body = {}, schema: Body = widgetSchema): Body {
  return { name, served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
}

/** A definition of widgets in the group `SCENARIO.RUN.example.com`. */
export function widgets(scenario: string, versions: readonly Body[], spec: Body = {}): Body {
  const group = `${scenario}.\${run}.example.com`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        plural: "widgets",
        singular: "widget",
        kind: "Widget",
        listKind: "WidgetList",
        shortNames: ["wd"],
        categories: ["all"],
      },
      versions,
      ...spec,
    },
  };
}

export function widgetPath(scenario: string, versionName = "v1"): string {
  return `/apis/${scenario}.\${run}.example.com/${versionName}/namespaces/\${ns}/widgets`;
}

export function widget(scenario: string, name: string, spec: unknown, more: Body = {}): Body {
  return { apiVersion: `${scenario}.\${run}.example.com/v1`, kind: "Widget", metadata: { name }, spec, ...more };
}

/** Makes the definition and waits until its objects can be written. */
export function define(scenario: string, definition: Body): readonly Step[] {
  return [
    { name: "define", method: "POST", path: crds, body: definition },
    {
      name: "established",
      method: "GET",
      path: `${crds}/widgets.${scenario}.\${run}.example.com`,
      wait: { at: "status.conditions.1.status", equals: "True" },
    },
    { name: "served", method: "GET", path: widgetPath(scenario), wait: { status: 200 } },
  ];
}
