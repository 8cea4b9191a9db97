// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test } from "vitest";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import { stepRowCount } from "../../index/table/apply-part.ts";
import { WorkTurns } from "./work-turns.ts";

let clock: ManualClock;
let turns: WorkTurns;
let seen: string[];

beforeEach(() => {
  clock = new ManualClock();
  turns = new WorkTurns(() => clock.sleep(0));
  seen = [];
});

async function ask(name: string, rowCount: number): Promise<void> {
  void turns.take(rowCount).then(() => seen.push(name));
  await settle();
}

async function endTurn(): Promise<void> {
  expect(clock.timerCount).toBe(1);
  clock.runNext();
  await settle();
}

test("large work has one turn each, in the order of asking, and timers of others run in between", async () => {
  for (const name of ["a", "b", "c"]) await ask(name, stepRowCount);
  expect(seen).toEqual(["a"]);
  await endTurn();
  expect(seen).toEqual(["a", "b"]);
  await endTurn();
  expect(seen).toEqual(["a", "b", "c"]);
  expect(clock.timerCount).toBe(0);
});

test("small work shares a turn until it is full, however many ask", async () => {
  for (let at = 0; at < 10; at += 1) await ask(String(at), stepRowCount / 4);
  expect(seen).toHaveLength(4);
  await endTurn();
  expect(seen).toHaveLength(8);
  await endTurn();
  expect(seen).toHaveLength(10);
  expect(clock.timerCount).toBe(0);
});

test("[L14] small work that has room does not wait behind large work, and does not keep it waiting", async () => {
  await ask("first", 10);
  await ask("large", 2 * stepRowCount);
  await ask("small", 10);
  expect(seen).toEqual(["first", "small"]);
  await endTurn();
  expect(seen).toEqual(["first", "small", "large"]);
  await ask("late", 1);
  expect(seen).toHaveLength(3);
  await endTurn();
  expect(seen.at(-1)).toBe("late");
});
