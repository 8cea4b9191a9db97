// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { statusRank } from "../../model/status.ts";
import { placeOf } from "./row-segment.ts";
import { TroubleTimes } from "./trouble-times.ts";

const web = { namespace: "shop", name: "web" };
const [unhealthy, degraded, healthy] = (["unhealthy", "degraded", "healthy"] as const).map(statusRank) as [
  number,
  number,
  number,
];

test("[HE18] a trouble keeps its beginning while the status stays, whatever else of the row changes", () => {
  const times = new TroubleTimes();
  times.note(placeOf(web), unhealthy, false);
  expect(times.get(web)).toBeUndefined();
  times.settle(1_000);
  times.note(placeOf(web), unhealthy, true);
  times.settle(2_000);
  expect([times.get(web), times.oldestMs]).toEqual([1_000, 1_000]);
});

test("[HE18] another status, or another object of that name, begins anew; a good one ends it", () => {
  const times = new TroubleTimes();
  times.note(placeOf(web), unhealthy, false);
  times.settle(1_000);
  times.note(placeOf(web), degraded, true);
  times.settle(2_000);
  expect(times.get(web)).toBe(2_000);
  times.note(placeOf(web), degraded, false);
  times.settle(3_000);
  expect(times.get(web)).toBe(3_000);
  times.note(placeOf(web), healthy, true);
  expect([times.get(web), times.oldestMs]).toEqual([undefined, undefined]);
});

test("[HE18] a fork changes by itself, and what is removed is forgotten", () => {
  const times = new TroubleTimes();
  times.note(placeOf(web), unhealthy, false);
  times.settle(1_000);
  const forked = times.fork();
  forked.remove(placeOf(web));
  expect([times.get(web), forked.get(web)]).toEqual([1_000, undefined]);
});
