// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { instanceStatus, sentinelStatus } from "./delivery-status.ts";
import { createStatusReport, statuses, statusRank } from "./status.ts";
import {
  finishedStatus,
  fixedStatus,
  stuckTerminatingAfterMs,
  terminatingStatus,
  unreconciledStatus,
} from "./status-rules.ts";

describe("rank", () => {
  test("[CO12][CO37] each status has its place in the order, and that place is its number", () => {
    expect(statuses.map(statusRank)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(statuses[0]).toBe("unhealthy");
    expect(statuses[7]).toBe("completed");
  });

  test("[CO13] reason and message are cut to 128 and 512 bytes", () => {
    const report = createStatusReport("unhealthy", "R".repeat(5000), "ü".repeat(5000));
    expect(new TextEncoder().encode(report.reason)).toHaveLength(128);
    expect(new TextEncoder().encode(report.message).length).toBeLessThanOrEqual(512);
    expect(report.message).toMatch(/^ü+…$/);
  });
});

describe("fixed rules", () => {
  const new_ = { generation: 1, observedGeneration: undefined, hasConditions: false };

  test("[CO14] what has succeeded is completed, what has failed is unhealthy with its reason", () => {
    expect(finishedStatus({ outcome: "succeeded" })?.status).toBe("completed");
    const failed = finishedStatus({ outcome: "failed", reason: "Evicted", message: "low on memory" });
    expect(failed).toEqual({ status: "unhealthy", reason: "Evicted", message: "low on memory" });
    expect(finishedStatus({ outcome: undefined })).toBeUndefined();
  });

  test("[CO15][CO62] an object is terminating until it was seen so for five minutes, then stuck, with its finalizers", () => {
    const facts = { finalizers: ["kubernetes.io/pvc-protection", "example.com/x"] };
    expect(terminatingStatus({ ...facts, terminatingForMs: stuckTerminatingAfterMs - 1 }).status).toBe("terminating");
    const stuck = terminatingStatus({ ...facts, terminatingForMs: 300_000 });
    expect(stuck).toMatchObject({ status: "unhealthy", reason: "StuckTerminating" });
    expect(stuck.message).toContain("kubernetes.io/pvc-protection, example.com/x");
  });

  test("[CO16][Q-7] a brand-new object without conditions is progressing, not unhealthy", () => {
    expect(unreconciledStatus(new_)?.status).toBe("progressing");
  });

  test("[CO16] a generation that is not observed yet is progressing, an observed one is left to the kind", () => {
    expect(unreconciledStatus({ generation: 4, observedGeneration: 3, hasConditions: true })?.status).toBe(
      "progressing",
    );
    expect(unreconciledStatus({ generation: 4, observedGeneration: 4, hasConditions: true })).toBeUndefined();
    expect(unreconciledStatus({ generation: 4, observedGeneration: undefined, hasConditions: true })).toBeUndefined();
  });

  test("[CO17] deletion is asked before the outcome, the outcome before conditions", () => {
    const finished = { outcome: "failed" } as const;
    const terminating = { terminatingForMs: 0, finalizers: [] };
    expect(fixedStatus({ terminating, finished, reconcile: new_ })?.status).toBe("terminating");
    expect(fixedStatus({ finished, reconcile: new_ })?.status).toBe("unhealthy");
    expect(fixedStatus({ finished: { outcome: undefined }, reconcile: new_ })?.status).toBe("progressing");
    expect(fixedStatus({})).toBeUndefined();
  });
});

describe("delivery", () => {
  test.each([
    ["pending", "progressing"],
    ["scheduled", "progressing"],
    ["starting", "progressing"],
    ["running", "healthy"],
    ["failed", "unhealthy"],
  ] as const)("[CO18] an instance that is %s is %s", (state, status) => {
    expect(instanceStatus(state)).toBe(status);
  });

  test.each([
    ["paused", 2, 2, "suspended"],
    ["unhealthy", 0, 0, "suspended"],
    ["unhealthy", 2, 2, "unhealthy"],
    ["unknown", 2, 0, "progressing"],
    ["unknown", 2, 1, "unknown"],
    ["healthy", 2, 0, "unhealthy"],
    ["healthy", 2, 1, "degraded"],
    ["healthy", 2, 2, "healthy"],
    ["healthy", 2, 3, "healthy"],
  ] as const)(
    "[CO19] a sentinel that is %s, wants %i and has %i replicas is %s",
    (health, desired, available, status) => {
      const facts = { health, desiredReplicaCount: desired, availableReplicaCount: available };
      expect(sentinelStatus(facts).status).toBe(status);
    },
  );
});
