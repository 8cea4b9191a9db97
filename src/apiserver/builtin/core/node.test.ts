// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import type { DraftObject, JsonObject } from "../../json/json.ts";
import { toSentence } from "../../status/field-error.ts";
import { nodeStrategy } from "./node.ts";

const context = {
  nowMs: 0,
  random: createSeededRandom(1),
  userName: "u",
  objects: { get: () => undefined, list: () => [] },
};
const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

test.for<[string, JsonObject]>([
  ["none", {}],
  ["that one", { taints: [taint] }],
])("a new node has the taint of one that is not ready once, with %s before", ([, spec]) => {
  const node = { spec: { ...spec } } as DraftObject;
  nodeStrategy.prepareForCreate?.(node, context);
  expect(node["spec"]).toEqual({ taints: [taint] });
});

test("allocatable defaults to capacity", () => {
  const node: DraftObject = { spec: { podCIDR: "10.1.0.0/24" }, status: { capacity: { cpu: "4" } } };
  nodeStrategy.setDefaults?.(node);
  expect(node).toEqual({
    spec: { podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24"] },
    status: { capacity: { cpu: "4" }, allocatable: { cpu: "4" } },
  });
});

test("provider and addresses of Pods are set once", () => {
  const old = { spec: { providerID: "a", podCIDRs: ["10.1.0.0/24"] } };
  const node = { spec: { providerID: "b" }, status: { addresses: [{ type: "a" }, { type: "a" }] } };
  expect(nodeStrategy.validateUpdate?.(node, old).map(toSentence)).toEqual([
    'status.addresses[1]: Duplicate value: {"type":"a"}',
    'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
  ]);
});
