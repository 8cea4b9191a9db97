// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { BugError } from "../assert.ts";
import { FlotillaError } from "../error.ts";
import { settle } from "../testing/manual-clock.ts";
import { backlog, fresh, startQueue } from "./testing/keyed-queue-rig.ts";

describe("[L6] keyed queue", () => {
  test("any number of adds of a waiting key are one piece of work, in the place of the first", async () => {
    const { queue, worked, run, end } = startQueue();
    for (const key of ["a", "b", "a", "a", "c", "b"]) queue.add(key, fresh);
    expect(queue.length).toBe(3);
    const running = run();
    await settle();
    expect(worked).toEqual(["a@0", "b@0", "c@0"]);
    expect(queue.counts).toEqual({ fresh: 0, backlog: 0, delayed: 0, running: 0 });
    await end(running);
  });

  test("one worker at a time has a key; a key added meanwhile is worked on once more afterwards", async () => {
    const { clock, queue, worked, run, end } = startQueue({ workers: 3 });
    const running = run(async (_key, signal) => {
      await clock.sleep(100, signal);
      return {};
    });
    queue.add("a", fresh);
    await clock.advance(10);
    for (let added = 0; added < 5; added += 1) queue.add("a", fresh);
    expect(queue.counts).toEqual({ fresh: 0, backlog: 0, delayed: 0, running: 1 });
    await clock.advance(500);
    expect(worked).toEqual(["a@0", "a@100"]);
    await end(running);
  });

  test("different keys are worked on at once, up to the number of workers", async () => {
    const { clock, queue, worked, run, end } = startQueue({ workers: 2 });
    const running = run(async (_key, signal) => {
      await clock.sleep(100, signal);
      return {};
    });
    for (const key of ["a", "b", "c", "d", "e"]) queue.add(key, fresh);
    await clock.advance(50);
    expect(queue.counts).toEqual({ fresh: 3, backlog: 0, delayed: 0, running: 2 });
    await clock.advance(500);
    expect(worked).toEqual(["a@0", "b@0", "c@100", "d@100", "e@200"]);
    await end(running);
  });

  test("fresh keys overtake the backlog, and a backlog key that becomes fresh moves over", async () => {
    const { queue, worked, run, end } = startQueue();
    for (const key of ["b1", "b2", "b3"]) queue.add(key, backlog);
    queue.add("f1", fresh);
    queue.add("b3", fresh);
    queue.add("f1", backlog);
    expect(queue.counts).toEqual({ fresh: 2, backlog: 2, delayed: 0, running: 0 });
    const running = run();
    await settle();
    expect(worked).toEqual(["f1@0", "b3@0", "b1@0", "b2@0"]);
    await end(running);
  });

  test("fresh keys that never cease do not starve the backlog", async () => {
    const { clock, queue, worked, run, end } = startQueue({ freshPerBacklog: 2 });
    const running = run(async (key, signal) => {
      await clock.sleep(1, signal);
      if (key.startsWith("f")) queue.add(`f${worked.length}`, fresh);
      return {};
    });
    for (const key of ["f0", "fx", "fy", "fz"]) queue.add(key, fresh);
    for (const key of ["b1", "b2"]) queue.add(key, backlog);
    await clock.advance(10);
    expect(worked.map((line) => line.charAt(0)).join("")).toMatch(/^ffbffbf+$/);
    await end(running);
  });

  test("a key that keeps failing is retried at growing intervals and delays no other", async () => {
    const { clock, queue, worked, failures, run, end } = startQueue();
    const running = run(async (key) => {
      if (key === "bad") throw new FlotillaError("UNAVAILABLE", "no answer");
      return {};
    });
    queue.add("bad", fresh);
    queue.add("good", fresh);
    await clock.advance(3_200);
    expect(worked).toEqual(["bad@0", "good@0", "bad@100", "bad@300", "bad@700", "bad@1500", "bad@2500"]);
    expect(failures.map(({ key, failureCount }) => `${key} ${failureCount}`)).toEqual(
      [1, 2, 3, 4, 5, 6].map((count) => `bad ${count}`),
    );
    expect(queue.counts.delayed).toBe(1);
    await end(running);
  });

  test("a success forgets the failures", async () => {
    const { clock, queue, worked, run, end } = startQueue();
    const failing = new Set([1, 2, 4]);
    const running = run(async () => {
      if (failing.has(worked.length)) throw new Error("conflict");
      return {};
    });
    queue.add("a", fresh);
    await clock.advance(1_000);
    queue.add("a", fresh);
    await clock.advance(1_000);
    expect(worked).toEqual(["a@0", "a@100", "a@300", "a@1000", "a@1100"]);
    await end(running);
  });

  test("an outcome may ask for another look after a time, which is no failure", async () => {
    const { clock, queue, worked, failures, run, end } = startQueue();
    const running = run(async () => (worked.length < 3 ? { retryAfterMs: 250 } : {}));
    queue.add("a", fresh);
    await clock.advance(5_000);
    expect(worked).toEqual(["a@0", "a@250", "a@500"]);
    expect([failures, queue.length]).toEqual([[], 0]);
    await end(running);
  });

  test("a success that asks for another look forgets the failures too", async () => {
    const { clock, queue, worked, run, end } = startQueue();
    const running = run(async () => {
      if (worked.length !== 3) throw new Error("conflict");
      return { retryAfterMs: 700 };
    });
    queue.add("a", fresh);
    await clock.advance(1_150);
    expect(worked).toEqual(["a@0", "a@100", "a@300", "a@1000", "a@1100"]);
    await end(running);
  });

  test("a failure that names retryAfterMs is not retried before", async () => {
    const { clock, queue, worked, run, end } = startQueue();
    const running = run(async () => {
      if (worked.length === 1) throw new FlotillaError("OVERLOADED", "later", { ids: { retryAfterMs: 5_000 } });
      return {};
    });
    queue.add("a", fresh);
    await clock.advance(10_000);
    expect(worked).toEqual(["a@0", "a@5100"]);
    await end(running);
  });

  test("an add does not wait for the backoff under way, does not double the retry, and forgets no failure", async () => {
    const { clock, queue, worked, run, end } = startQueue();
    const running = run(() => Promise.reject(new Error("conflict")));
    queue.add("a", fresh);
    await clock.advance(50);
    queue.add("a", backlog);
    expect(queue.length).toBe(1);
    await clock.advance(600);
    expect(worked).toEqual(["a@0", "a@50", "a@250", "a@650"]);
    await end(running);
  });

  test("an add during a reconcile that then fails is worked on at once", async () => {
    const { clock, queue, worked, failures, run, end } = startQueue();
    const running = run(async (key) => {
      if (worked.length > 1) return {};
      queue.add(key, backlog);
      throw new Error("conflict");
    });
    queue.add("a", fresh);
    await clock.advance(1_000);
    expect(worked).toEqual(["a@0", "a@0"]);
    expect(failures).toMatchObject([{ key: "a", failureCount: 1, delayMs: undefined }]);
    await end(running);
  });

  test("a retry stays in the lane of its key", async () => {
    const { clock, queue, worked, run, end } = startQueue();
    const running = run(async (key, signal) => {
      if (key === "f" && !worked.includes("x@0")) throw new Error("conflict");
      await clock.sleep(150, signal);
      return {};
    });
    queue.add("f", fresh);
    for (const key of ["x", "y", "z"]) queue.add(key, backlog);
    await clock.advance(1_000);
    expect(worked).toEqual(["f@0", "x@0", "f@150", "y@300", "z@450"]);
    await end(running);
  });
});

test("options that cannot work are refused", () => {
  expect(() => startQueue({ workers: 0 })).toThrow(BugError);
  expect(() => startQueue({ backoff: { firstMs: 0, factor: 2, capMs: 10 } })).toThrow("firstMs must be over 0, not 0");
});
