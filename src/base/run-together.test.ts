// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { runTogether } from "./run-together.ts";
import { ManualClock } from "./testing/manual-clock.ts";

function forever(clock: ManualClock, ended: string[], name: string) {
  return async (signal: AbortSignal): Promise<void> => {
    try {
      await clock.sleep(1_000_000, signal);
    } finally {
      ended.push(name);
    }
  };
}

test("an abort ends all loops and is not a failure", async () => {
  const clock = new ManualClock();
  const ended: string[] = [];
  const stop = new AbortController();
  const running = runTogether([forever(clock, ended, "a"), forever(clock, ended, "b")], stop.signal);
  stop.abort(new Error("closing"));
  await running;
  expect(ended).toEqual(["a", "b"]);
  expect(clock.timerCount).toBe(0);
});

test("one that fails takes the others along, and its failure is thrown after they ended", async () => {
  const clock = new ManualClock();
  const ended: string[] = [];
  const fails = async (): Promise<void> => {
    await clock.sleep(10);
    throw new Error("broken");
  };
  const running = expect(
    runTogether([forever(clock, ended, "a"), fails], new AbortController().signal),
  ).rejects.toThrow("broken");
  await clock.advance(10);
  await running;
  expect(ended).toEqual(["a"]);
});
