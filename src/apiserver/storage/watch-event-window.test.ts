// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { CachedObject } from "./cached-object.ts";
import { CacheEvent, WatchEventWindow } from "./watch-event-window.ts";

/** An event that counts as 456 bytes: 256 and twice its body. */
function event(revision: number): CacheEvent {
  const after: CachedObject = { namespace: "n", name: "o", revision, body: new Uint8Array(100), labels: new Map() };
  return new CacheEvent(revision, undefined, after);
}

/** A window with events of revisions 12, 14, ... that begins at 10. */
function windowOf(eventCount: number, limitBytes = 1_000_000): WatchEventWindow {
  const window = new WatchEventWindow(10, limitBytes);
  for (let index = 1; index <= eventCount; index += 1) window.append(event(10 + 2 * index));
  return window;
}

const revisionsFrom = (window: WatchEventWindow, position: number): readonly number[] | undefined =>
  window.eventsFrom(position, 1000)?.map(({ revision }) => revision);

test("an empty window can be watched from its start on", () => {
  const window = windowOf(0);
  expect(window.positionAfter(9)).toBeUndefined();
  expect(window.positionAfter(10)).toBe(0);
  expect(window.positionAfter(1000)).toBe(0);
  expect(window.eventsFrom(0, 10)).toEqual([]);
  expect(window.endPosition).toBe(0);
});

test.each([
  [10, [12, 14, 16]],
  [11, [12, 14, 16]],
  [12, [14, 16]],
  [15, [16]],
  [16, []],
  [99, []],
])("after revision %d come %j", (revision, expected) => {
  const window = windowOf(3);
  expect(revisionsFrom(window, window.positionAfter(revision) ?? -1)).toEqual(expected);
});

test("events are given a few at a time", () => {
  const window = windowOf(5);
  expect(window.eventsFrom(1, 2)?.map(({ revision }) => revision)).toEqual([14, 16]);
  expect(window.eventsFrom(5, 2)).toEqual([]);
});

test("beyond its bytes the oldest events leave, and positions stay what they were", () => {
  const window = windowOf(10, 456 * 8);
  const position = window.positionAfter(26) ?? -1;
  expect(revisionsFrom(window, position)).toEqual([28, 30]);
  expect(window.endPosition).toBe(10);
  // The ninth event went over the limit: events left until three quarters were there, and the tenth found room.
  expect(window.startRevision).toBe(16);
  expect(window.positionAfter(15)).toBeUndefined();
  expect(revisionsFrom(window, window.positionAfter(16) ?? -1)).toEqual([18, 20, 22, 24, 26, 28, 30]);
  expect(window.eventsFrom(2, 1)).toBeUndefined();
  expect(window.eventsFrom(3, 1)?.map(({ revision }) => revision)).toEqual([18]);
});

test("the newest event stays however large it is", () => {
  const window = windowOf(3, 100);
  expect(window.startRevision).toBe(14);
  expect(revisionsFrom(window, window.positionAfter(14) ?? -1)).toEqual([16]);
});

test("[AP11] memory is bounded for any number of events", () => {
  const window = windowOf(10_000, 456 * 8);
  expect(window.endPosition).toBe(10_000);
  expect(revisionsFrom(window, window.positionAfter(window.startRevision) ?? -1)?.length).toBeLessThanOrEqual(8);
});
