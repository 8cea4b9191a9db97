// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { WatchNotifier } from "./watch-notifier.ts";

function listen(notifier: WatchNotifier, count: number): { count: number; readonly stops: readonly (() => void)[] } {
  const heard = { count: 0, stops: [] as (() => void)[] };
  for (let at = 0; at < count; at += 1)
    heard.stops.push(
      notifier.onNotify(() => {
        if (at === 0) heard.count += 1;
      }),
    );
  return heard;
}

test("few watches are notified of each change at once", () => {
  const notifier = new WatchNotifier(new ManualClock());
  const heard = listen(notifier, 16);
  for (let at = 0; at < 5; at += 1) notifier.notify();
  expect(heard.count).toBe(5);
});

test("[AP18] many watches are notified at once after silence, then at intervals, and of the last change in any case", async () => {
  const clock = new ManualClock();
  const notifier = new WatchNotifier(clock);
  const heard = listen(notifier, 100);
  for (let at = 0; at < 5; at += 1) notifier.notify();
  expect(heard.count).toBe(1);
  await clock.advance(19);
  notifier.notify();
  expect(heard.count).toBe(1);
  await clock.advance(1);
  expect(heard.count).toBe(2);
  await clock.advance(20);
  notifier.notify();
  expect(heard.count).toBe(3);
});

test("[AP18] the pause grows with the number of watches, to a bound", async () => {
  const clock = new ManualClock();
  const notifier = new WatchNotifier(clock);
  const heard = listen(notifier, 20);
  notifier.notify();
  notifier.notify();
  await clock.advance(4);
  expect(heard.count).toBe(2);
  const more = new WatchNotifier(clock);
  const heardByMore = listen(more, 10_000);
  more.notify();
  more.notify();
  await clock.advance(20);
  expect(heardByMore.count).toBe(2);
});

test("who lets go hears nothing more, not even what was due", async () => {
  const clock = new ManualClock();
  const notifier = new WatchNotifier(clock);
  const heard = listen(notifier, 100);
  notifier.notify();
  notifier.notify();
  for (const stop of heard.stops) stop();
  await clock.advance(100);
  expect(heard.count).toBe(1);
});
