// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { WatchBell } from "./watch-bell.ts";

function listen(bell: WatchBell, count: number): { rings: number; readonly stops: readonly (() => void)[] } {
  const heard = { rings: 0, stops: [] as (() => void)[] };
  for (let at = 0; at < count; at += 1)
    heard.stops.push(
      bell.onRing(() => {
        if (at === 0) heard.rings += 1;
      }),
    );
  return heard;
}

test("few watches are told of everything at once", () => {
  const bell = new WatchBell(new ManualClock());
  const heard = listen(bell, 16);
  for (let rung = 0; rung < 5; rung += 1) bell.ring();
  expect(heard.rings).toBe(5);
});

test("[AP18] many are told at once after silence, then in pauses, and of the last in any case", async () => {
  const clock = new ManualClock();
  const bell = new WatchBell(clock);
  const heard = listen(bell, 100);
  for (let rung = 0; rung < 5; rung += 1) bell.ring();
  expect(heard.rings).toBe(1);
  await clock.advance(19);
  bell.ring();
  expect(heard.rings).toBe(1);
  await clock.advance(1);
  expect(heard.rings).toBe(2);
  await clock.advance(20);
  bell.ring();
  expect(heard.rings).toBe(3);
});

test("[AP18] the pause grows with the number of watches, to a bound", async () => {
  const clock = new ManualClock();
  const bell = new WatchBell(clock);
  const heard = listen(bell, 20);
  bell.ring();
  bell.ring();
  await clock.advance(4);
  expect(heard.rings).toBe(2);
  const more = new WatchBell(clock);
  const heardByMore = listen(more, 10_000);
  more.ring();
  more.ring();
  await clock.advance(20);
  expect(heardByMore.rings).toBe(2);
});

test("who lets go hears nothing more, not even what was due", async () => {
  const clock = new ManualClock();
  const bell = new WatchBell(clock);
  const heard = listen(bell, 100);
  bell.ring();
  bell.ring();
  for (const stop of heard.stops) stop();
  await clock.advance(100);
  expect(heard.rings).toBe(1);
});
