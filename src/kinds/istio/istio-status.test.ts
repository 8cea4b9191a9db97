// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { rowOf } from "../testing/sample-rows.ts";
import { virtualServiceKind } from "./virtual-service-kind.ts";

const notFound = {
  type: { name: "ReferencedResourceNotFound", code: "IST0101" },
  level: "ERROR",
  documentationUrl: "https://istio.io/ist0101",
};
const oldWarning = { code: "IST0102", level: "Warn", message: "mTLS not enabled" };
const reconciled = (status: string) => ({ type: "Reconciled", status, reason: "r", message: "61/122 complete" });
const analysis = (status: string) => ({ type: "PassedAnalysis", status, reason: "errorsFound", message: "1 Error" });

test.each([
  ["nothing, which is Istio's default", undefined, ["healthy", "", ""]],
  ["an empty status", {}, ["healthy", "", ""]],
  [
    "an error of its analysis",
    { validationMessages: [oldWarning, notFound] },
    ["unhealthy", "ReferencedResourceNotFound", "IST0101: https://istio.io/ist0101"],
  ],
  [
    "an error that has reached all proxies",
    { validationMessages: [notFound], conditions: [reconciled("True")] },
    ["unhealthy", "ReferencedResourceNotFound", "IST0101: https://istio.io/ist0101"],
  ],
  ["a warning", { validationMessages: [oldWarning] }, ["degraded", "IST0102", "IST0102: mTLS not enabled"]],
  ["a remark", { validationMessages: [{ ...oldWarning, level: "Info" }] }, ["healthy", "", ""]],
  ["an error without a name", { validationMessages: [{ level: "Error" }] }, ["unhealthy", "AnalysisFailed", ""]],
  ["an analysis that failed", { conditions: [analysis("False")] }, ["degraded", "errorsFound", "1 Error"]],
  [
    "a waypoint that does not take it",
    { conditions: [{ type: "WaypointAccepted", status: "False", reason: "TargetNotFound", message: "no waypoint" }] },
    ["degraded", "TargetNotFound", "no waypoint"],
  ],
  ["an analysis that passed", { conditions: [analysis("True")] }, ["healthy", "", ""]],
  ["proxies that lag behind", { conditions: [reconciled("False")] }, ["progressing", "r", "61/122 complete"]],
  ["all proxies up to date", { conditions: [reconciled("True")] }, ["healthy", "r", "61/122 complete"]],
  [
    "the generation before, as a number",
    { observedGeneration: 1, conditions: [reconciled("True")] },
    ["progressing", "GenerationBehind", "generation 1 of 2 is observed"],
  ],
  [
    "the generation before, as text",
    { observedGeneration: "1" },
    ["progressing", "GenerationBehind", "generation 1 of 2 is observed"],
  ],
  [
    "this generation",
    { observedGeneration: "2", conditions: [reconciled("True")] },
    ["healthy", "r", "61/122 complete"],
  ],
])("[KI9] where Istio reports %s, the object's status follows", (_what, status, expected) => {
  const row = rowOf(virtualServiceKind, { metadata: { ...sampleMetadata("a"), generation: 2 }, spec: {}, status });
  expect([row.status, row.reason, row.message]).toEqual(expected);
});

test("weights that do not sum up are not judged from the object alone", () => {
  const route = [
    { destination: { host: "a" }, weight: 1 },
    { destination: { host: "b" }, weight: 1 },
  ];
  expect(rowOf(virtualServiceKind, { metadata: sampleMetadata("a"), spec: { http: [{ route }] } }).status).toBe(
    "healthy",
  );
});
