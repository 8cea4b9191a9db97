// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { BugError } from "./assert.ts";
import { BackpressureQueue } from "./backpressure-queue.ts";
import type { ByteQueue } from "./byte-queue.ts";
import { CoalescingQueue } from "./coalescing-queue.ts";
import { hasCode } from "./error.ts";
import { settle } from "./manual-clock.ts";

interface Note {
  readonly key: string;
  readonly sizeBytes: number;
}

const note = (key: string, sizeBytes: number): Note => ({ key, sizeBytes });
const options = {
  name: "notes",
  boundBytes: 10,
  sizeOf: (value: Note) => value.sizeBytes,
  keyOf: (value: Note) => value.key,
};
const createBackpressure = (): BackpressureQueue<Note> => new BackpressureQueue(options);
const createCoalescing = (): CoalescingQueue<string, Note> => new CoalescingQueue(options);

type AnyQueue = ByteQueue<Note> & { push(value: Note): unknown };

describe.each<[string, () => AnyQueue]>([
  ["backpressure", createBackpressure],
  ["coalesce", createCoalescing],
])("[L13] byte queue with overflow rule %s", (overflow, create) => {
  test("has its rule in its type and its bytes in its count", async () => {
    const queue = create();
    expect(queue.overflow).toBe(overflow);
    await queue.push(note("a", 4));
    await queue.push(note("b", 6));
    expect([queue.length, queue.sizeBytes]).toEqual([2, 10]);
    expect(queue.tryTake()?.key).toBe("a");
    expect([queue.length, queue.sizeBytes]).toEqual([1, 6]);
  });

  test("an entry larger than the whole bound is refused with both sizes, and changes nothing", async () => {
    const queue = create();
    await queue.push(note("a", 1));
    const push = async (): Promise<unknown> => queue.push(note("b", 11));
    await expect(push()).rejects.toThrow("an entry of 11 bytes is over the 10 bytes that the queue of notes can hold");
    await expect(push()).rejects.toThrow(expect.toSatisfy((error) => hasCode(error, "TOO_LARGE")));
    expect([queue.length, queue.sizeBytes]).toEqual([1, 1]);
  });

  test("readers wait in order, and each value goes to one of them", async () => {
    const queue = create();
    const taking = Promise.all([queue.take(), queue.take()]);
    await queue.push(note("a", 10));
    await queue.push(note("b", 10));
    expect((await taking).map((value) => value?.key)).toEqual(["a", "b"]);
    expect(queue.sizeBytes).toBe(0);
  });

  test("a reader that aborts takes nothing with it", async () => {
    const queue = create();
    const stop = new AbortController();
    const taking = queue.take(stop.signal);
    stop.abort(new Error("closing"));
    await expect(taking).rejects.toThrow("closing");
    await queue.push(note("a", 1));
    await expect(queue.take(stop.signal)).rejects.toThrow("closing");
    expect((await queue.take())?.key).toBe("a");
  });

  test("closed, it gives what it holds, then says that there is no more", async () => {
    const queue = create();
    await queue.push(note("a", 1));
    queue.close();
    expect((await queue.take())?.key).toBe("a");
    expect(await queue.take()).toBeUndefined();
  });

  test("closing wakes the readers that wait", async () => {
    const queue = create();
    const taking = queue.take();
    queue.close();
    expect(await taking).toBeUndefined();
  });

  test("drain resolves when the last entry is taken, and at once on an empty queue", async () => {
    const queue = create();
    await queue.drain();
    await queue.push(note("a", 1));
    await queue.push(note("b", 1));
    let isDrained = false;
    const draining = queue.drain().then(() => {
      isDrained = true;
    });
    queue.tryTake();
    await settle();
    expect(isDrained).toBe(false);
    queue.tryTake();
    await draining;
  });

  test("a weightless entry is a bug: any number of them would fit", async () => {
    const push = async (): Promise<unknown> => create().push(note("a", 0));
    await expect(push()).rejects.toThrow(BugError);
  });
});

describe("[L13] backpressure", () => {
  test("a push waits until there is room, and a small one does not overtake it", async () => {
    const queue = createBackpressure();
    const done: string[] = [];
    const push = async (key: string, sizeBytes: number): Promise<void> => {
      await queue.push(note(key, sizeBytes));
      done.push(key);
    };
    const pushing = Promise.all([push("a", 8), push("b", 5), push("c", 1)]);
    await settle();
    expect([done, queue.length, queue.waitingCount]).toEqual([["a"], 1, 2]);
    expect(queue.tryTake()?.key).toBe("a");
    await pushing;
    expect([queue.tryTake()?.key, queue.tryTake()?.key]).toEqual(["b", "c"]);
  });

  test("a push that aborts while it waits is not in line, and lets smaller ones behind it pass", async () => {
    const queue = createBackpressure();
    const stop = new AbortController();
    await queue.push(note("a", 8));
    const large = queue.push(note("b", 5), stop.signal);
    const small = queue.push(note("c", 2));
    stop.abort(new Error("closing"));
    await expect(large).rejects.toThrow("closing");
    await small;
    expect([queue.tryTake()?.key, queue.tryTake()?.key, queue.tryTake()]).toEqual(["a", "c", undefined]);
  });

  test("closing refuses those that wait and those that come, with UNAVAILABLE", async () => {
    const queue = createBackpressure();
    await queue.push(note("a", 8));
    const waiting = queue.push(note("b", 5));
    queue.close();
    await expect(waiting).rejects.toThrow(expect.toSatisfy((error) => hasCode(error, "UNAVAILABLE")));
    await expect(queue.push(note("c", 1))).rejects.toThrow("the queue of notes is closed");
    expect([queue.length, queue.sizeBytes]).toEqual([1, 8]);
  });

  test("drain counts the pushes that wait: they get in line before it is empty", async () => {
    const queue = createBackpressure();
    await queue.push(note("a", 8));
    const waiting = queue.push(note("b", 8));
    let isDrained = false;
    const draining = queue.drain().then(() => {
      isDrained = true;
    });
    queue.tryTake();
    await waiting;
    await settle();
    expect(isDrained).toBe(false);
    queue.tryTake();
    await draining;
  });
});

describe("[L13] coalesce", () => {
  test("a newer value of a key takes the place in line of the older one", () => {
    const queue = createCoalescing();
    expect([queue.push(note("a", 1)), queue.push(note("b", 1)), queue.push(note("a", 4))]).toEqual([
      "queued",
      "queued",
      "replaced",
    ]);
    expect([queue.length, queue.sizeBytes]).toEqual([2, 5]);
    expect([queue.tryTake(), queue.tryTake()]).toEqual([note("a", 4), note("b", 1)]);
  });

  test("without room it says so and everything in line is as before", () => {
    const queue = createCoalescing();
    queue.push(note("a", 4));
    queue.push(note("b", 4));
    expect([queue.push(note("c", 3)), queue.push(note("a", 7))]).toEqual(["full", "full"]);
    expect([queue.push(note("a", 6)), queue.sizeBytes]).toEqual(["replaced", 10]);
    expect([queue.tryTake(), queue.tryTake()]).toEqual([note("a", 6), note("b", 4)]);
  });

  test("a key that was taken is queued anew at the end", () => {
    const queue = createCoalescing();
    queue.push(note("a", 1));
    queue.push(note("b", 1));
    queue.tryTake();
    expect(queue.push(note("a", 2))).toBe("queued");
    expect([queue.tryTake(), queue.tryTake()]).toEqual([note("b", 1), note("a", 2)]);
  });

  test("a value handed straight to a waiting reader is not replaced by the next of its key", async () => {
    const queue = createCoalescing();
    const taking = queue.take();
    expect([queue.push(note("a", 1)), queue.push(note("a", 2))]).toEqual(["queued", "queued"]);
    expect([await taking, queue.tryTake()]).toEqual([note("a", 1), note("a", 2)]);
  });

  test("closed, it says so to writers", () => {
    const queue = createCoalescing();
    queue.close();
    expect(queue.push(note("a", 1))).toBe("closed");
  });
});
