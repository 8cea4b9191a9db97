// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { authorizationPolicyKind as kind } from "./authorization-policy-kind.ts";
import { istioSamples } from "./testing/samples.ts";

test("an AuthorizationPolicy's row has targets, action, number of rules and provider", () => {
  expect(columnsOf(kind, rowOf(kind, istioSamples.authorizationPolicy))).toEqual({
    scope: "workload",
    targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "waypoint" }],
    action: "CUSTOM",
    ruleCount: 2,
    provider: "ext-authz",
  });
});

test("[KI19] an empty AuthorizationPolicy allows nobody, and its row shows that and what it took by default", () => {
  const row = rowOf(kind, { metadata: sampleMetadata("none"), spec: {} });
  expect(columnsOf(kind, row)).toEqual({ scope: "namespace", action: "ALLOW", ruleCount: 0, defaulted: ["action"] });
});

test("a single targetRef of older versions is told like a list", () => {
  const spec = { targetRef: { kind: "Service", name: "web" } };
  const row = rowOf(kind, { metadata: sampleMetadata("old"), spec });
  expect([row.columns.get("targetRefs"), row.columns.get("scope")]).toEqual([
    ['{"kind":"Service","name":"web"}'],
    "workload",
  ]);
});
