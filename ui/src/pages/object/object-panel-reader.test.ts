// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test } from "vitest";
import { ObjectPanelReader } from "./object-panel-reader.ts";

/** A call that the test answers. */
interface Call extends PromiseWithResolvers<string> {
  readonly signal: AbortSignal;
}

let calls: Call[];
let late: AbortController;
let nowMs: number;
let reader: ObjectPanelReader;

beforeEach(() => {
  calls = [];
  late = new AbortController();
  nowMs = 1_000;
  reader = new ObjectPanelReader({
    call: (signal) => {
      const call = { ...Promise.withResolvers<string>(), signal };
      calls.push(call);
      return call.promise;
    },
    deadline: () => late.signal,
    failureSentence: (reason) => (reason instanceof Error ? reason.message : "?"),
    nowMs: () => nowMs,
  });
});

test("[PG29] nothing is read until it is asked for; what was read is as old as the question", async () => {
  expect(calls).toEqual([]);
  let toldCount = 0;
  const leave = reader.listen(() => (toldCount += 1));
  const reading = reader.read();
  expect(reader.getReading()).toMatchObject({ isReading: true, read: undefined });
  nowMs = 1_400;
  calls[0]!.resolve('{"kind":"Pod"}');
  await reading;
  expect(reader.getReading()).toMatchObject({ isReading: false, read: { object: { kind: "Pod" }, atMs: 1_000 } });
  expect([toldCount, calls.length]).toEqual([2, 1]);
  leave();
});

test("[PG29] a failure keeps the last result with its time and shows the reason; the next success clears it", async () => {
  for (const [atMs, answer] of [
    [1_000, "A"],
    [2_000, undefined],
    [3_000, "B"],
  ] as const) {
    nowMs = atMs;
    const reading = reader.read();
    if (answer === undefined) {
      calls.at(-1)!.reject(new Error("the agent is not connected"));
      await reading;
      expect(reader.getReading()).toMatchObject({
        isReading: false,
        read: { object: { kind: "A" }, atMs: 1_000 },
        failure: "the agent is not connected",
      });
    } else {
      calls.at(-1)!.resolve(`{"kind":"${answer}"}`);
      await reading;
      expect(reader.getReading()).toMatchObject({ read: { object: { kind: answer }, atMs }, failure: "" });
    }
  }
});

test("[PG29] the reason of a failure stays until the next attempt has come to an end", async () => {
  const first = reader.read();
  calls[0]!.reject(new Error("no"));
  await first;
  void reader.read();
  expect(reader.getReading()).toMatchObject({ isReading: true, failure: "no" });
});

test("[PG29] an answer that comes after the object was left, or after another question, is dropped", async () => {
  const first = reader.read();
  reader.close();
  expect(calls[0]!.signal.aborted).toBe(true);
  calls[0]!.resolve('{"kind":"Late"}');
  await first;
  expect(reader.getReading().read).toBeUndefined();

  const second = reader.read();
  const third = reader.read();
  expect([calls[1]!.signal.aborted, calls[2]!.signal.aborted]).toEqual([true, false]);
  calls[2]!.resolve('{"kind":"Third"}');
  await third;
  calls[1]!.reject(new Error("too late"));
  await second;
  expect(reader.getReading()).toMatchObject({ read: { object: { kind: "Third" } }, failure: "" });
});

test("[PG29] a hub that does not answer is waited for so long and no longer", async () => {
  const reading = reader.read();
  late.abort();
  expect(calls[0]!.signal.aborted).toBe(true);
  calls[0]!.reject(calls[0]!.signal.reason);
  await reading;
  expect(reader.getReading()).toMatchObject({ isReading: false, failure: "The hub has not answered within 20 s." });
});
