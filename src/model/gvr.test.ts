// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  compareResourceIds,
  createResourceId,
  gvrText,
  isCanonicalResourceId,
  parseResourceId,
  resourceIdText,
} from "./gvr.ts";

describe("resource id", () => {
  test.each([
    ["pods", { group: "", resource: "pods" }],
    ["apps/deployments", { group: "apps", resource: "deployments" }],
    ["networking.istio.io/virtualservices", { group: "networking.istio.io", resource: "virtualservices" }],
  ])("[CO2] %s reads back as written", (text, id) => {
    expect(parseResourceId(text)).toEqual(id);
    expect(resourceIdText(id)).toBe(text);
  });

  test.each(["/pods", "", "apps/v1/deployments", "apps/", "Pods", "a b", "apps_/x", `${"a.".repeat(127)}a/x`])(
    "[CO2][CO4] %j is no resource id",
    (text) => {
      expect(() => parseResourceId(text)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    },
  );

  test("[CO5] events of both groups are the core resource", () => {
    expect(parseResourceId("events.k8s.io/events")).toEqual(parseResourceId("events"));
    expect(createResourceId("example.com", "events").group).toBe("example.com");
    expect(isCanonicalResourceId({ group: "events.k8s.io", resource: "events" })).toBe(false);
  });

  test("[CO10] resource ids are ordered by group, then resource", () => {
    const ids = ["batch/jobs", "pods", "apps/deployments", "apps/daemonsets", "nodes"].map(parseResourceId);
    expect(ids.sort(compareResourceIds).map(resourceIdText)).toEqual([
      "nodes",
      "pods",
      "apps/daemonsets",
      "apps/deployments",
      "batch/jobs",
    ]);
  });
});

test.each([
  ["apps/v1/deployments", { group: "apps", version: "v1", resource: "deployments" }],
  ["v1/services", { group: "", version: "v1", resource: "services" }],
  ["events.k8s.io/v1/events", { group: "events.k8s.io", version: "v1", resource: "events" }],
])("[CO3] %s is the text of a group-version-resource", (text, gvr) => {
  expect(gvrText(gvr)).toBe(text);
});
