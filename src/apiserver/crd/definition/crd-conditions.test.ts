// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import {
  cleanupFinalizer,
  establishedCondition,
  finalizersForDeletion,
  isConditionTrue,
  terminatingConditions,
  withCondition,
} from "./crd-conditions.ts";

test("the time of a condition changes only with its status", () => {
  const first = withCondition([], terminatingConditions.pending, "2026-01-01T00:00:00Z");
  const second = withCondition(first, terminatingConditions.inProgress, "2026-01-02T00:00:00Z");
  const third = withCondition(second, terminatingConditions.finished, "2026-01-03T00:00:00Z");
  expect(
    [first, second, third].map(([condition]) => [condition?.["reason"], condition?.["lastTransitionTime"]]),
  ).toEqual([
    ["InstanceDeletionPending", "2026-01-01T00:00:00Z"],
    ["InstanceDeletionInProgress", "2026-01-01T00:00:00Z"],
    ["InstanceDeletionCompleted", "2026-01-03T00:00:00Z"],
  ]);
});

test("a condition of another type stays as it is", () => {
  const conditions = withCondition([{ type: "Other", status: "True" }], establishedCondition, "2026-01-01T00:00:00Z");
  expect(conditions[0]).toEqual({ type: "Other", status: "True" });
  expect(isConditionTrue({ status: { conditions } }, "Established")).toBe(true);
  expect(isConditionTrue({ status: { conditions } }, "Terminating")).toBe(false);
});

test("a deleted definition waits for the cleanup of its objects, once", () => {
  const held = finalizersForDeletion({ metadata: { finalizers: ["example.com/x"] } });
  expect(held).toEqual(["example.com/x", cleanupFinalizer]);
  expect(finalizersForDeletion({ metadata: { finalizers: [...held] } })).toEqual(held);
});
