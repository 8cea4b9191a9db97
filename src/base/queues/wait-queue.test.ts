// SPDX-License-Identifier: Apache-2.0
import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { WaitQueue } from "./wait-queue.ts";

test("those who wait are served in order, each once", async () => {
  const line = new WaitQueue<number, string>();
  const first = line.wait("a");
  const second = line.wait("b");
  expect([line.length, line.firstTicket]).toEqual([2, "a"]);
  line.resolveFirst(1);
  line.resolveFirst(2);
  expect(line.resolveFirst(3)).toBe(false);
  expect(await Promise.all([first, second])).toEqual([1, 2]);
});

test("one that aborts leaves the line at once; the others keep their places", async () => {
  const line = new WaitQueue<number, string>();
  const stop = new AbortController();
  const first = line.wait("a", stop.signal);
  const second = line.wait("b");
  stop.abort(new Error("closing"));
  expect([line.length, line.firstTicket]).toEqual([1, "b"]);
  line.resolveFirst(1);
  await expect(first).rejects.toThrow("closing");
  await expect(second).resolves.toBe(1);
});

test("an aborted signal never gets into the line", async () => {
  const line = new WaitQueue();
  await expect(line.wait(undefined, AbortSignal.abort(new Error("closing")))).rejects.toThrow("closing");
  expect(line.length).toBe(0);
});

test("once served, nobody listens to the signal any more", async () => {
  const line = new WaitQueue();
  const { signal } = new AbortController();
  const served = line.wait(undefined, signal);
  line.resolveAll();
  await served;
  const refused = line.wait(undefined, signal);
  line.rejectAll(new Error("closed"));
  await expect(refused).rejects.toThrow("closed");
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
