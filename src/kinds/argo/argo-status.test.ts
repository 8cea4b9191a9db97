// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { rowOf } from "../testing/sample-rows.ts";
import { applicationKind } from "./application-kind.ts";
import { argoSamples } from "./testing/samples.ts";

function statusOf(status: unknown): readonly string[] {
  const row = rowOf(applicationKind, { metadata: sampleMetadata("a"), spec: {}, status });
  return [row.status, row.reason, row.message];
}

test.each([
  ["Healthy", "Synced", "Succeeded", ["healthy", "", "h"]],
  ["Healthy", "Synced", "Failed", ["healthy", "", "h"]],
  ["Healthy", "OutOfSync", "Succeeded", ["degraded", "OutOfSync", "h"]],
  ["Healthy", "OutOfSync", "Failed", ["degraded", "SyncFailed", "o"]],
  ["Healthy", "OutOfSync", "Error", ["degraded", "SyncFailed", "o"]],
  ["Healthy", "OutOfSync", "Running", ["progressing", "Syncing", "o"]],
  ["Healthy", "Unknown", "Succeeded", ["unknown", "Unknown", "h"]],
  ["Degraded", "Synced", "Succeeded", ["unhealthy", "Degraded", "h"]],
  ["Degraded", "OutOfSync", "Running", ["unhealthy", "Degraded", "h"]],
  ["Missing", "OutOfSync", "Succeeded", ["unhealthy", "Missing", "h"]],
  ["Missing", "OutOfSync", "Running", ["progressing", "Syncing", "o"]],
  ["Progressing", "Synced", "Succeeded", ["progressing", "Progressing", "h"]],
  ["Progressing", "OutOfSync", "Succeeded", ["progressing", "Progressing", "h"]],
  ["Suspended", "Synced", "Succeeded", ["suspended", "Suspended", "h"]],
  ["Suspended", "OutOfSync", "Succeeded", ["degraded", "OutOfSync", "h"]],
  ["Unknown", "Synced", "Succeeded", ["unknown", "Unknown", "h"]],
  ["SomethingNew", "Synced", "Succeeded", ["unknown", "Unknown", "h"]],
])("[KI9] health %s, sync %s and operation %s are one status", (health, sync, phase, expected) => {
  expect(
    statusOf({
      health: { status: health, message: "h" },
      sync: { status: sync },
      operationState: { phase, message: "o" },
    }),
  ).toEqual(expected);
});

test.each([
  [undefined, ["progressing", "NotReconciledYet", "no condition reported yet"]],
  [{ conditions: [] }, ["progressing", "NotReconciledYet", "no condition reported yet"]],
  [{ sync: { status: "Synced" } }, ["unknown", "Unknown", ""]],
  [{ health: { status: "Healthy" } }, ["unknown", "Unknown", ""]],
])("[CO16] a status of %j is waited for, or unknown", (status, expected) => {
  expect(statusOf(status)).toEqual(expected);
});

test("[L18] an error that leaves the verdict open is told, its address cleaned", () => {
  const row = rowOf(applicationKind, argoSamples.application);
  expect([row.status, row.reason, row.message]).toEqual([
    "unknown",
    "ComparisonError",
    "rpc error: cannot list https://git.example/apps denied",
  ]);
});
