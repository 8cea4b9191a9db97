// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FleetTables } from "../../index/fold/fleet-tables.ts";
import { makeBatch, makeRow } from "../fleet/testing/test-rows.ts";
import { checkChangedTime, checkDeletedSince, checkPastMoment, maxDeletedMs } from "./check-moments.ts";
import { fieldChanges } from "./field-changes.ts";
import { dependsOnTime, findChanges, maxChanges } from "./find-changes.ts";

test("[QL31] a change names each field with its value before and after, by the names of queries", () => {
  const before = { ...makeRow("east", "pods", { name: "web", phase: "Running", replicas: 1 }), message: "ready" };
  const after = {
    ...makeRow("east", "pods", { name: "web", phase: "Failed", replicas: 1, status: "unhealthy" }),
    message: "back-off",
    labels: new Map([["tier", "front"]]),
  };
  expect(fieldChanges("pods", before, after)).toEqual([
    { field: "field.phase", from: "Running", to: "Failed" },
    { field: "label.app", from: "web", to: undefined },
    { field: "label.tier", from: undefined, to: "front" },
    { field: "message", from: "ready", to: "back-off" },
    { field: "status", from: "healthy", to: "unhealthy" },
  ]);
});

test("[QL31] only a test of the age makes the selection depend on the time", () => {
  const age = { kind: "age", order: "<", ms: 1 } as const;
  const created = { kind: "created", order: "<", atMs: 1 } as const;
  expect(dependsOnTime({ kind: "not", of: { kind: "or", parts: [created, age] } })).toBe(true);
  expect(dependsOnTime({ kind: "and", parts: [created, { kind: "all" }] })).toBe(false);
});

test("[QL31] one change among thousands of equal rows is found, and the work is cut into slices", () => {
  const [old, now] = [new FleetTables(), new FleetTables()];
  for (const [tables, changed] of [
    [old, "Running"],
    [now, "Failed"],
  ] as const) {
    const rows = Array.from({ length: 14_000 }, (_, at) =>
      makeRow("east", "pods", { name: `p-${at}`, phase: at === 13_000 ? changed : "Running" }),
    );
    const place = { position: 1, receivedAtMs: 1 };
    tables.load("east", { resource: "pods", form: { kind: "delta" }, batch: makeBatch("pods", rows) }, place);
  }
  const visibilityOf = () => ({ kind: "all" }) as const;
  const [before, after] = [old, now].map((fleet) => ({ fleet, atMs: 0 }));
  if (before === undefined || after === undefined) throw new Error("there are two moments");
  const work = findChanges({ filter: { kind: "all" }, visibilityOf, before, after, limit: 10 });
  let sliceCount = 1;
  let step = work.next();
  for (; step.done !== true; step = work.next()) sliceCount += 1;
  expect(sliceCount).toBeGreaterThan(1);
  expect(step.value.counts).toEqual({ entered: 0, left: 0, changed: 1 });
  expect(step.value.changes.map(({ name, fields }) => [name, fields])).toEqual([
    ["p-13000", [{ field: "field.phase", from: "Running", to: "Failed" }]],
  ]);
});

test("[QL31] a page of changes has a limit in range", () => {
  const moment = { fleet: new FleetTables(), atMs: 0 };
  const request = { filter: { kind: "all" } as const, visibilityOf: () => ({ kind: "all" }) as const };
  for (const limit of [0, maxChanges + 1, 1.5])
    expect(() => findChanges({ ...request, before: moment, after: moment, limit }).next()).toThrow(
      `the limit must be an integer from 1 to ${maxChanges}, it is ${limit}`,
    );
});

test("[QL30] [QL31] [QL32] moments in the future, in the wrong order or too long ago are refused", () => {
  expect(() => checkPastMoment(2_000, 1_000)).toThrow(
    "1970-01-01T00:00:02.000Z is in the future: at the hub it is 1970-01-01T00:00:01.000Z; ask for a moment before that",
  );
  expect(() => checkPastMoment(1_000, 1_000)).not.toThrow();
  expect(() => checkChangedTime(5, 5, 10)).toThrow("changes are listed from an earlier to a later moment");
  expect(() => checkChangedTime(5, 11, 10)).toThrow("is in the future");
  expect(() => checkDeletedSince(0, maxDeletedMs)).not.toThrow();
  expect(() => checkDeletedSince(0, maxDeletedMs + 1)).toThrow(
    "deleted objects are listed for at most 24 hours; ask for those since 1970-01-01T00:00:00.001Z or later",
  );
});
