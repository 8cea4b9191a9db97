// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";

/** An object to make on a real server so that its row can be compared. */
export interface Sample {
  /** Path of the collection: `/api/v1/namespaces/table/pods`. */
  readonly collection: string;
  readonly object: JsonObject;
  /** Written through the status subresource. */
  readonly status?: JsonObject;
  /** Deleted after that; its finalizers keep it there. */
  readonly isDeleted?: boolean;
}

/** The time so many seconds ago, as the API writes times. */
export type Ago = (seconds: number) => string;

/** Where samples live. Those that bound what others may do have a namespace of their own. */
export const sampleNamespaces = ["table", "bounds"] as const;

export const coreIn = (resource: string, namespace = "table"): string => `/api/v1/namespaces/${namespace}/${resource}`;
export const namespaced = (groupVersion: string, resource: string): string =>
  `/apis/${groupVersion}/namespaces/table/${resource}`;

/** A Pod template with two containers. */
export const template: JsonObject = {
  metadata: { labels: { app: "web", tier: "front" } },
  spec: {
    containers: [
      { name: "web", image: "registry.example/web:1.2" },
      { name: "side", image: "registry.example/side@sha256:0123" },
    ],
  },
};

export const selector: JsonObject = {
  matchLabels: { tier: "front", app: "web" },
  matchExpressions: [
    { key: "old", operator: "DoesNotExist" },
    { key: "app", operator: "Exists" },
    { key: "tier", operator: "In", values: ["front", "back"] },
    { key: "zone", operator: "NotIn", values: ["z"] },
  ],
};
