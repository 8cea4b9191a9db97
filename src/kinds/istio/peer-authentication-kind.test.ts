// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rootNamespaces, rowOf } from "../testing/sample-rows.ts";
import { peerAuthenticationKind as kind } from "./peer-authentication-kind.ts";
import { istioSamples } from "./testing/samples.ts";

test("[N-18] a PeerAuthentication's row has selector, mode and the modes of its ports", () => {
  expect(columnsOf(kind, rowOf(kind, istioSamples.peerAuthentication))).toEqual({
    scope: "workload",
    selector: ["app=web", "tier=front"],
    mode: "STRICT",
    portModes: [
      { port: 443, mode: "DISABLE" },
      { port: 8080, mode: "PERMISSIVE" },
    ],
  });
});

test.each([
  ["mesh-sys", {}, "mesh"],
  ["mesh-sys", { selector: {} }, "mesh"],
  ["mesh-sys", { selector: { matchLabels: {} } }, "mesh"],
  ["mesh-sys", { selector: { matchLabels: { app: "web" } } }, "workload"],
  ["shop", {}, "namespace"],
  ["istio-system", {}, "namespace"],
  ["shop", { selector: { matchLabels: { app: "web" } } }, "workload"],
])("[N-62] in %s with %j, the root namespace being mesh-sys, its scope is %s", (namespace, spec, scope) => {
  const object = { metadata: { ...sampleMetadata("default"), namespace }, spec };
  expect(rowOf(kind, object, rootNamespaces("mesh-sys")).columns.get("scope")).toBe(scope);
});
