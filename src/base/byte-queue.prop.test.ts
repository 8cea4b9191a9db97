// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BackpressureQueue } from "./backpressure-queue.ts";
import { CoalescingQueue } from "./coalescing-queue.ts";
import { settle } from "./manual-clock.ts";

interface Note {
  readonly id: number;
  readonly key: string;
  readonly sizeBytes: number;
}

const boundBytes = 20;
const options = {
  name: "notes",
  boundBytes,
  sizeOf: (value: Note) => value.sizeBytes,
  keyOf: (value: Note) => value.key,
};

const pushes = fc.record({
  kind: fc.constant("push" as const),
  key: fc.constantFrom("a", "b", "c", "d", "e"),
  sizeBytes: fc.integer({ min: 1, max: boundBytes }),
});
const takes = fc.constant({ kind: "take" as const });

function sumBytes(notes: readonly Note[]): number {
  return notes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

test("[L13] with backpressure every push is taken once, in order, unless it aborted while waiting; bytes always add up", async () => {
  const aborts = fc.record({ kind: fc.constant("abort" as const), nth: fc.nat(40) });
  const scripts = fc.array(
    fc.oneof({ weight: 3, arbitrary: pushes }, { weight: 2, arbitrary: takes }, { weight: 1, arbitrary: aborts }),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const queue = new BackpressureQueue<Note>(options);
      const inLine: Note[] = [];
      const waiting: Note[] = [];
      const pushed: { readonly value: Note; readonly stop: AbortController; readonly ended: Promise<unknown> }[] = [];
      const admit = (): void => {
        for (let head = waiting[0]; head !== undefined; head = waiting[0]) {
          if (sumBytes(inLine) + head.sizeBytes > boundBytes) return;
          inLine.push(head);
          waiting.shift();
        }
      };
      for (const step of script) {
        let [taken, wanted]: (Note | undefined)[] = [];
        if (step.kind === "push") {
          const value = { id: pushed.length, key: step.key, sizeBytes: step.sizeBytes };
          const stop = new AbortController();
          const ended = queue.push(value, stop.signal).then(
            () => "in line",
            () => "aborted",
          );
          pushed.push({ value, stop, ended });
          waiting.push(value);
        } else if (step.kind === "take") {
          taken = queue.tryTake();
          wanted = inLine.shift();
        } else {
          const chosen = pushed[step.nth % Math.max(1, pushed.length)];
          chosen?.stop.abort();
          const at = waiting.findIndex((value) => value === chosen?.value);
          if (at >= 0) waiting.splice(at, 1);
        }
        admit();
        await settle();
        expect(taken).toBe(wanted);
        expect([queue.length, queue.sizeBytes, queue.waitingCount]).toEqual([
          inLine.length,
          sumBytes(inLine),
          waiting.length,
        ]);
        expect(queue.sizeBytes).toBeLessThanOrEqual(boundBytes);
      }
      while (inLine.length > 0) {
        expect(queue.tryTake()).toBe(inLine.shift());
        admit();
      }
      expect([queue.length, queue.sizeBytes, queue.waitingCount]).toEqual([0, 0, 0]);
      await Promise.all(pushed.map(({ ended }) => ended));
    }),
    { numRuns: 60 },
  );
});

test("[N-55] coalescing, the newest accepted value of each key is taken, keys in order of first push; bytes always add up", () => {
  const scripts = fc.array(fc.oneof({ weight: 3, arbitrary: pushes }, { weight: 1, arbitrary: takes }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(scripts, (script) => {
      const queue = new CoalescingQueue<string, Note>(options);
      const inLine: Note[] = [];
      for (const [id, step] of script.entries()) {
        let [seen, wanted]: unknown[] = [];
        if (step.kind === "take") {
          seen = queue.tryTake();
          wanted = inLine.shift();
        } else {
          const value = { id, key: step.key, sizeBytes: step.sizeBytes };
          const at = inLine.findIndex(({ key }) => key === value.key);
          const after = at < 0 ? [...inLine, value] : inLine.with(at, value);
          const isFull = sumBytes(after) > boundBytes;
          seen = queue.push(value);
          wanted = isFull ? "full" : at < 0 ? "queued" : "replaced";
          if (!isFull) inLine.splice(0, inLine.length, ...after);
        }
        expect(seen).toBe(wanted);
        expect([queue.length, queue.sizeBytes]).toEqual([inLine.length, sumBytes(inLine)]);
        expect(queue.sizeBytes).toBeLessThanOrEqual(boundBytes);
      }
      for (const value of inLine) expect(queue.tryTake()).toBe(value);
      expect([queue.tryTake(), queue.sizeBytes]).toEqual([undefined, 0]);
    }),
  );
});

test("[L13] values pushed while readers come and go reach exactly one reader each, in order", async () => {
  const readers = fc.record({ kind: fc.constant("read" as const), aborts: fc.boolean() });
  const scripts = fc.array(fc.oneof(pushes, readers), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const queue = new BackpressureQueue<Note>(options);
      const taken: Note[] = [];
      const all: Promise<unknown>[] = [];
      let pushCount = 0;
      for (const step of script) {
        if (step.kind === "push") {
          all.push(queue.push({ id: pushCount, key: step.key, sizeBytes: step.sizeBytes }));
          pushCount += 1;
        } else {
          const stop = new AbortController();
          const reading = queue.take(stop.signal).then(
            (value) => value !== undefined && taken.push(value),
            () => "aborted",
          );
          if (step.aborts) stop.abort();
          all.push(reading);
        }
      }
      for (let next = await tryTakeSettled(queue); next !== undefined; next = await tryTakeSettled(queue))
        taken.push(next);
      queue.close();
      await Promise.all(all);
      expect(taken.map(({ id }) => id)).toEqual(Array.from({ length: pushCount }, (_, id) => id));
    }),
    { numRuns: 60 },
  );
});

async function tryTakeSettled(queue: BackpressureQueue<Note>): Promise<Note | undefined> {
  await settle();
  return queue.tryTake();
}
