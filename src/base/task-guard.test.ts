// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { BugError } from "./assert.ts";
import { type LogFields, silentLogger } from "./log.ts";
import { createTaskGuard, guardTimers, type TaskGuard } from "./task-guard.ts";
import { ManualClock } from "./testing/manual-clock.ts";
import { DueTimer } from "./time/due-timer.ts";

function openGuard(): {
  readonly guard: TaskGuard;
  readonly counted: Map<string, number>;
  readonly logged: LogFields[];
} {
  const counted = new Map<string, number>();
  const logged: LogFields[] = [];
  const failures = { add: ({ task }: { task: string }) => void counted.set(task, (counted.get(task) ?? 0) + 1) };
  const log = { ...silentLogger, error: (_message: string, fields: LogFields = {}) => void logged.push(fields) };
  return { guard: createTaskGuard({ log, failures }), counted, logged };
}

function fail(): never {
  throw new BugError("an impossible value");
}

describe("a guard of tasks", () => {
  test("[L14] a failure goes no further, is counted each time, and is logged once for each task and cluster", () => {
    const { guard, counted, logged } = openGuard();
    for (const cluster of ["east", "east", "west"]) expect(guard.run("page entry", fail, { cluster })).toBe(false);
    expect(guard.run("page entry", () => undefined, { cluster: "north" })).toBe(true);
    expect(counted.get("page entry")).toBe(3);
    expect(logged).toEqual([
      { task: "page entry", cluster: "east" },
      { task: "page entry", cluster: "west" },
    ]);
  });

  test("a task that succeeded and fails again is logged again", () => {
    const { guard, logged } = openGuard();
    for (const work of [fail, () => undefined, fail]) guard.run("tick", work);
    expect(logged).toEqual([{ task: "tick" }, { task: "tick" }]);
  });

  test("what it remembers is bounded", () => {
    const { guard, logged } = openGuard();
    for (let at = 0; at < 3_000; at += 1) guard.run("tick", fail, { cluster: `c${at}` });
    guard.run("tick", fail, { cluster: "c0" });
    expect(logged).toHaveLength(3_001);
  });

  test("[L14] a timer that throws ends neither the process nor the timers after it", async () => {
    const { guard, counted } = openGuard();
    const manual = new ManualClock();
    const clock = guardTimers(manual, guard);
    let ranCount = 0;
    clock.setTimer(1, fail);
    clock.setTimer(2, () => void (ranCount += 1));
    const cancel = clock.setTimer(3, () => void (ranCount += 1));
    cancel();
    await manual.advance(5);
    expect(ranCount).toBe(1);
    expect(counted.get("timer")).toBe(1);
  });

  test("[L14] a value whose turn fails does not keep the others from theirs", async () => {
    const { guard } = openGuard();
    const manual = new ManualClock();
    const taken: string[] = [];
    const timer = new DueTimer<string>(guardTimers(manual, guard), (value) => {
      taken.push(value);
      if (value === "bad") fail();
    });
    timer.push(1, "bad");
    timer.push(1, "good");
    timer.push(2, "later");
    timer.start();
    await manual.advance(10);
    expect(taken).toEqual(["bad", "good", "later"]);
    timer.stop();
  });
});
