// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test } from "vitest";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import { QueryTurns } from "./query-turns.ts";
import { UserBudgets } from "./user-budgets.ts";

let clock: ManualClock;
let nowMs: number;
let turns: QueryTurns;
let slices: string[];
let charged: Map<string, number>;

beforeEach(() => {
  clock = new ManualClock();
  nowMs = 0;
  slices = [];
  charged = new Map();
  turns = new QueryTurns({
    nowMs: () => nowMs,
    pause: () => clock.sleep(0),
    charge: (user, tookMs) => charged.set(user, (charged.get(user) ?? 0) + tookMs),
  });
});

function* work(name: string, sliceCount: number): Generator<void, string, undefined> {
  for (let at = 1; at < sliceCount; at += 1) {
    slices.push(name);
    yield;
  }
  slices.push(name);
  return name;
}

const noCheck = (): void => undefined;

async function endPause(): Promise<void> {
  clock.runNext();
  await settle();
}

test("[QL15] a small query of one user waits for one slice of another user, however many queries that one has", async () => {
  const heavy = Array.from({ length: 50 }, (_, at) => turns.run("heavy", work(`h${at}`, 20), noCheck));
  let answer = "";
  void turns.run("small", work("small", 3), noCheck).then((name) => (answer = name));
  for (let slice = 0; slice < 6; slice += 1) await endPause();
  expect(answer).toBe("small");
  expect(slices).toEqual(["h0", "h0", "small", "h1", "small", "h2", "small"]);
  while (clock.timerCount > 0) await endPause();
  expect(await Promise.all(heavy)).toHaveLength(50);
});

test("[QL15] a query that fails or is ended between slices does not stop the others", async () => {
  const fails = turns.run("a", work("ended", 5), () => {
    throw new Error("over");
  });
  const goesOn = turns.run("a", work("other", 2), noCheck);
  const isEnded = expect(fails).rejects.toThrow("over");
  while (clock.timerCount > 0) await endPause();
  await isEnded;
  expect(await goesOn).toBe("other");
  expect(slices).toEqual(["ended", "other", "other"]);
});

test("[QL15] a user has at most 100 queries running, and can ask again after one of them ended", async () => {
  const running = Array.from({ length: 100 }, (_, at) => turns.run("a", work(String(at), 2), noCheck));
  await expect(turns.run("a", work("more", 1), noCheck)).rejects.toThrow(
    "you have 100 queries running; wait until one of them ends",
  );
  while (clock.timerCount > 0) await endPause();
  await Promise.all(running);
  const again = turns.run("a", work("again", 1), noCheck);
  expect(await again).toBe("again");
});

test("[QL15] each slice is charged to its user", async () => {
  function* slow(): Generator<void, void, undefined> {
    nowMs += 30;
    yield;
    nowMs += 12;
  }
  const ended = turns.run("a", slow(), noCheck);
  while (clock.timerCount > 0) await endPause();
  await ended;
  expect(charged.get("a")).toBe(42);
});

test("[QL15] a user whose queries took too much time is refused with the time to wait, and others are not", () => {
  const budgets = new UserBudgets(() => nowMs);
  budgets.admit("a");
  budgets.charge("a", 21_500);
  expect(() => budgets.admit("a")).toThrow("your queries took too much time of the hub; ask again in 4 s");
  budgets.admit("b");
  nowMs += 3_000 - 1;
  expect(() => budgets.admit("a")).toThrow("ask again in 1 s");
  nowMs += 2;
  budgets.admit("a");
});
