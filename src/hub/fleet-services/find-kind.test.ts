// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { findKindAmong } from "./find-kind.ts";

const kinds = [
  { resource: "apps/deployments", kind: "Deployment", version: "" },
  { resource: "argoproj.io/applications", kind: "Application", version: "" },
  { resource: "example.com/pods", kind: "PodOfPeas", version: "" },
  { resource: "example.com/widgets", kind: "", version: "" },
  { resource: "gateway.networking.k8s.io/gateways", kind: "Gateway", version: "" },
  { resource: "networking.istio.io/gateways", kind: "Gateway", version: "" },
  { resource: "pods", kind: "Pod", version: "" },
];

test.each([
  ["apps/deployments", "apps/deployments"],
  ["Apps/Deployments", "apps/deployments"],
  ["deployments", "apps/deployments"],
  ["DEPLOYMENTS", "apps/deployments"],
  ["Deployment", "apps/deployments"],
  ["deployment", "apps/deployments"],
  ["widgets", "example.com/widgets"],
  ["networking.istio.io/gateways", "networking.istio.io/gateways"],
  ["podofpeas", "example.com/pods"],
])("%j is %s", (wanted, resource) => {
  expect(findKindAmong(kinds, "east", wanted)).toBe(resource);
});

test("a resource of the core group goes before one of that plural elsewhere", () => {
  expect(findKindAmong(kinds, "east", "pods")).toBe("pods");
  expect(findKindAmong(kinds, "east", "Pod")).toBe("pods");
});

test.each(["Gateway", "gateways", "GATEWAYS"])("%j may be several, which are named", (wanted) => {
  expect(() => findKindAmong(kinds, "east", wanted)).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      message: `${JSON.stringify(wanted)} is ambiguous: write gateway.networking.k8s.io/gateways or networking.istio.io/gateways`,
    }),
  );
});

test.each([
  "",
  "bogus",
  "constructor",
  "__proto__",
  "toString",
  "/pods",
  "pods/",
  "apps/",
  "com/pods",
  "io/gateways",
  " pods",
])("%j is no kind of the cluster, also where some have no name that is known", (wanted) => {
  expect(() => findKindAmong(kinds, "east", wanted)).toThrow(
    expect.objectContaining({
      code: "NOT_FOUND",
      message: expect.stringMatching(/^east has no kind ".*" that its agent follows; /),
    }),
  );
});

test("of a cluster that has said nothing yet it is told that nothing is known, not that there is no such kind", () => {
  expect(() => findKindAmong([], "east", "pods")).toThrow(expect.objectContaining({ code: "UNAVAILABLE" }));
});

test.each([
  ["podz", 'did you mean "pods"?'],
  ["Deploymet", 'did you mean "Deployment"?'],
  ["bogus", "`flotilla cluster get east` lists those it does"],
])("[CL3] %j is refused with the nearest known name, or where to look", (wanted, hint) => {
  expect(() => findKindAmong(kinds, "east", wanted)).toThrow(
    expect.objectContaining({ message: `east has no kind "${wanted}" that its agent follows; ${hint}` }),
  );
});
