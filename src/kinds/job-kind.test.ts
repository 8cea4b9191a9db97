// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { jobKind } from "./job-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";
import { sampleJob } from "./testing/sample-workloads.ts";

function job(status: object, spec: object = {}): object {
  return { metadata: { name: "report", namespace: "shop" }, spec, status };
}

function ended(type: string, reason?: string): object {
  return job({ conditions: [{ type, status: "True", reason, message: "why" }] });
}

describe("a Job", () => {
  test("has its counts and times as columns", () => {
    const row = rowOf(jobKind, sampleJob("x"));
    expect(Object.fromEntries(row.columns)).toMatchObject({
      completions: 2,
      parallelism: 1,
      active: 1,
      succeeded: 1,
      failed: 1,
      startedAt: 1_767_607_200_000,
    });
    expect(row.columns.has("completedAt")).toBe(false);
    expect(row).toMatchObject({
      status: "progressing",
      reason: "Running",
      message: "1 Pod is active, 1 failed so far",
    });
  });

  test.each<readonly [string, object, string, string]>([
    ["just created", job({}), "progressing", "Pending"],
    ["running", job({ active: 2 }), "progressing", "Running"],
    ["done", ended("Complete", "CompletionsReached"), "completed", "CompletionsReached"],
    ["done without a reason", ended("Complete"), "completed", "Completed"],
    ["failed", ended("Failed", "BackoffLimitExceeded"), "unhealthy", "BackoffLimitExceeded"],
    ["failed without a reason", ended("Failed"), "unhealthy", "Failed"],
    ["about to fail", ended("FailureTarget", "DeadlineExceeded"), "unhealthy", "DeadlineExceeded"],
    ["about to succeed", ended("SuccessCriteriaMet", "CompletionsReached"), "progressing", "Pending"],
    ["not failed", job({ active: 1, conditions: [{ type: "Failed", status: "False" }] }), "progressing", "Running"],
  ])("%s has its status", (_, object, status, reason) => {
    const row = rowOf(jobKind, object);
    expect([row.status, row.reason]).toEqual([status, reason]);
  });

  const conditioned = (...types: readonly string[]): object =>
    job({ conditions: types.map((type) => ({ type, status: "True" })) });

  test.each<readonly [object, string]>([
    [job({ active: 1 }), "Running"],
    [conditioned("Complete"), "Complete"],
    [conditioned("FailureTarget", "Failed"), "Failed"],
    [conditioned("FailureTarget"), "FailureTarget"],
    [conditioned("SuccessCriteriaMet"), "SuccessCriteriaMet"],
    [conditioned("Suspended"), "Suspended"],
    [{ metadata: { name: "report", deletionTimestamp: "2026-01-05T10:00:00Z" } }, "Terminating"],
  ])("[KI22] %j has kubectl's word %s", (object, word) => {
    expect(rowOf(jobKind, object).columns.get("printStatus")).toBe(word);
  });

  test("[KI12] suspended is suspended, unless it has ended", () => {
    expect(rowOf(jobKind, job({}, { suspend: true })).status).toBe("suspended");
    const done = job({ conditions: [{ type: "Complete", status: "True" }] }, { suspend: true });
    expect(rowOf(jobKind, done).status).toBe("completed");
  });
});
