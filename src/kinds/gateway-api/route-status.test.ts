// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { httpRouteKind as kind } from "./route-kinds.ts";

const answer = (name: string, accepted: string | undefined, resolved?: string, observedGeneration = 2) => ({
  parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "shop", name },
  conditions: [
    ...(accepted === undefined
      ? []
      : [{ type: "Accepted", status: accepted, reason: `A${accepted}`, observedGeneration }]),
    ...(resolved === undefined
      ? []
      : [{ type: "ResolvedRefs", status: resolved, reason: "BackendNotFound", observedGeneration }]),
  ],
});

test.each([
  ["no parent", [], [], ["unknown", "NoParent"]],
  ["no answer at all", ["a"], [], ["progressing", "NotReconciledYet"]],
  ["all accept", ["a", "b"], [answer("a", "True", "True"), answer("b", "True")], ["healthy", "Accepted"]],
  ["an answer to the generation before", ["a"], [answer("a", "True", "True", 1)], ["progressing", "GenerationBehind"]],
  ["one refuses", ["a", "b"], [answer("a", "True"), answer("b", "False")], ["degraded", "AFalse"]],
  ["all refuse", ["a", "b"], [answer("a", "False"), answer("b", "False")], ["unhealthy", "AFalse"]],
  ["backends are not there", ["a"], [answer("a", "True", "False")], ["degraded", "BackendNotFound"]],
  ["one has not decided", ["a", "b"], [answer("a", "True"), answer("b", "Unknown")], ["progressing", "AUnknown"]],
  ["one has not answered", ["a", "b"], [answer("a", "True")], ["progressing", "ParentPending"]],
  [
    "one that is no parent any more refused",
    ["a"],
    [answer("a", "True"), answer("old", "False")],
    ["healthy", "Accepted"],
  ],
  [
    "several controllers answer for one",
    ["a"],
    [answer("a", "True"), answer("a", undefined, "False")],
    ["degraded", "BackendNotFound"],
  ],
])("[KI9] a route where %s", (_what, names, parents, expected) => {
  const spec = { parentRefs: names.map((name) => ({ name })) };
  const row = rowOf(kind, { metadata: { ...sampleMetadata("r"), generation: 2 }, spec, status: { parents } });
  expect([row.status, row.reason]).toEqual(expected);
});

test("listeners of one Gateway are parents of their own", () => {
  const spec = {
    parentRefs: [
      { name: "a", sectionName: "http" },
      { name: "a", sectionName: "https" },
    ],
  };
  const parents = [{ ...answer("a", "False"), parentRef: { name: "a", sectionName: "http" } }];
  const row = rowOf(kind, { metadata: sampleMetadata("r"), spec, status: { parents } });
  expect(columnsOf(kind, row)["parents"]).toEqual([
    { kind: "Gateway", name: "a", sectionName: "http", accepted: "False" },
    { kind: "Gateway", name: "a", sectionName: "https" },
  ]);
  expect(row.status).toBe("degraded");
});
