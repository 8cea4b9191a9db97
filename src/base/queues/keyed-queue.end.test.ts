// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { BugError } from "../assert.ts";
import { settle } from "../testing/manual-clock.ts";
import { backlog, fresh, startQueue } from "./testing/keyed-queue-rig.ts";

describe("the end of a run", () => {
  test("it resolves only when running work has ended, begins nothing more, and keeps what waits", async () => {
    const { clock, stop, queue, worked, run } = startQueue({ workers: 2 });
    let isEnded = false;
    const running = run(async () => {
      await clock.sleep(100); // Work that finishes its step in spite of the signal.
      return {};
    }).then(() => {
      isEnded = true;
    });
    for (const key of ["a", "b", "c"]) queue.add(key, fresh);
    await clock.advance(10);
    stop.abort(new Error("closing"));
    await clock.advance(10);
    expect(isEnded).toBe(false);
    await clock.advance(100);
    await running;
    expect(worked).toEqual(["a@0", "b@0"]);
    expect(queue.counts).toEqual({ fresh: 1, backlog: 0, delayed: 0, running: 0 });
  });

  test("work cut short is no failure, and a later run does it again", async () => {
    const { clock, queue, worked, failures, run, end } = startQueue();
    const running = run(async (_key, signal) => {
      await clock.sleep(100, signal);
      return {};
    });
    queue.add("a", backlog);
    await clock.advance(10);
    await end(running);
    expect(failures).toEqual([]);
    expect(queue.counts).toEqual({ fresh: 0, backlog: 1, delayed: 0, running: 0 });
    const again = new AbortController();
    const rerunning = queue.run(async (key) => {
      worked.push(`${key} again`);
      return {};
    }, again.signal);
    await settle();
    again.abort();
    await rerunning;
    expect(worked).toEqual(["a@0", "a again"]);
  });

  test("between runs it holds no timer; retries due meanwhile come with the next run", async () => {
    const { clock, queue, worked, run, end } = startQueue();
    const running = run(() => Promise.reject(new Error("conflict")));
    queue.add("a", fresh);
    await clock.advance(50);
    await end(running);
    await clock.advance(10_000);
    expect([worked, queue.counts.delayed]).toEqual([["a@0"], 1]);
    const again = new AbortController();
    const rerunning = queue.run(async (key) => {
      worked.push(`${key} again`);
      return {};
    }, again.signal);
    await clock.advance(1);
    again.abort();
    await rerunning;
    expect([worked, queue.length]).toEqual([["a@0", "a again"], 0]);
  });

  test("a failure after the abort leaves no timer", async () => {
    const { clock, queue, run, end } = startQueue();
    const running = run(async () => {
      await clock.sleep(100);
      throw new Error("disk full");
    });
    queue.add("a", fresh);
    await clock.advance(10);
    const ending = end(running);
    await clock.advance(100);
    await ending;
    expect(queue.counts.delayed).toBe(1);
  });

  test("an aborted signal lets nothing begin", async () => {
    const { queue, stop, worked, run } = startQueue();
    queue.add("a", fresh);
    stop.abort(new Error("closing"));
    await run();
    expect([worked, queue.length]).toEqual([[], 1]);
  });

  test("a bug in a reconcile ends the run with it, after the other work has ended", async () => {
    const { clock, queue, run } = startQueue({ workers: 2 });
    let isOtherEnded = false;
    const running = run(async (key, signal) => {
      if (key === "bug") throw new BugError("impossible");
      try {
        await clock.sleep(100, signal);
      } finally {
        isOtherEnded = true;
      }
      return {};
    });
    queue.add("other", fresh);
    queue.add("bug", fresh);
    await expect(running).rejects.toThrow("impossible");
    expect(isOtherEnded).toBe(true);
    expect(clock.timerCount).toBe(0);
  });

  test("a second run at the same time is a bug of the caller", async () => {
    const { run, end } = startQueue();
    const running = run();
    await expect(run()).rejects.toThrow(BugError);
    await end(running);
  });
});
