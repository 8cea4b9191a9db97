// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  compareResourceIds,
  createResourceId,
  equivalentResources,
  gvrText,
  isCanonicalResourceId,
  parseGvr,
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

  test("[CO5] a grant on events in either group can be looked for, whichever name is at hand", () => {
    const both = ["events", "events.k8s.io/events"];
    expect(equivalentResources({ group: "", resource: "events" }).map(resourceIdText)).toEqual(both);
    expect(equivalentResources({ group: "events.k8s.io", resource: "events" }).map(resourceIdText)).toEqual(both);
    expect(equivalentResources({ group: "", resource: "pods" }).map(resourceIdText)).toEqual(["pods"]);
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

describe("group-version-resource", () => {
  test.each([
    ["apps/v1/deployments", { group: "apps", version: "v1", resource: "deployments" }],
    ["v1/services", { group: "", version: "v1", resource: "services" }],
    ["events.k8s.io/v1/events", { group: "events.k8s.io", version: "v1", resource: "events" }],
  ])("[CO3] %s reads back as written", (text, gvr) => {
    expect(parseGvr(text)).toEqual(gvr);
    expect(gvrText(gvr)).toBe(text);
  });

  test.each(["deployments", "/v1/services", "apps/v1/deployments/status", "apps//deployments", "v1/", ""])(
    "[CO3][CO4] %j is no group-version-resource",
    (text) => {
      expect(() => parseGvr(text)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
    },
  );
});
