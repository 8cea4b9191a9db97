// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock, settle } from "../../base/manual-clock.ts";
import { IngestTurns } from "./ingest-turns.ts";

test("turns come one at a time, in the order they were asked for, and timers of others run in between", async () => {
  const clock = new ManualClock();
  const turns = new IngestTurns(clock);
  const seen: string[] = [];
  for (const name of ["a", "b", "c"]) void turns.pass().then(() => seen.push(name));
  await settle();
  expect(seen).toEqual([]);
  for (const expected of [["a"], ["a", "b"], ["a", "b", "c"]]) {
    expect(clock.timerCount).toBe(1);
    clock.runNext();
    await settle();
    expect(seen).toEqual(expected);
  }
  expect(clock.timerCount).toBe(0);
});
