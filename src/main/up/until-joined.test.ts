// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { silentMetrics } from "../../base/testing/silent-metrics.ts";
import { createThresholds } from "../../health/thresholds.ts";
import { ClusterHealth } from "../../hub/health/cluster-health.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { untilJoined } from "./until-joined.ts";

function openWait(ids: readonly string[]) {
  const clock = new ManualClock();
  const health = new ClusterHealth({ clock, metrics: silentMetrics, thresholds: createThresholds({}), runId: "run" });
  const stop = new AbortController();
  let isOver = false;
  const shown: string[] = [];
  const onProgress = (text: string): void => void shown.push(text);
  const waiting = untilJoined(health, ids, { clock, onProgress }, stop.signal).then(() => {
    isOver = true;
  });
  return { clock, health, stop, waiting, shown, isOver: () => isOver };
}

test("[CL18] whoever is told that all is ready finds every cluster there; meanwhile they are counted", async () => {
  const { clock, health, shown, isOver } = openWait(["east", "west"]);
  await clock.advance(100);
  health.add(parseClusterId("east"));
  await clock.advance(100);
  expect(isOver()).toBe(false);
  health.add(parseClusterId("west"));
  await clock.advance(0);
  expect([isOver(), health.subscriberCount]).toEqual([true, 0]);
  expect([shown[0], shown.at(-1)]).toEqual(["0 of 2 clusters connected", "1 of 2 clusters connected"]);
});

test("one that does not join holds nobody up for ever, and a stop ends the wait", async () => {
  const late = openWait(["east"]);
  await late.clock.advance(20_000);
  expect(late.isOver()).toBe(true);
  const stopped = openWait(["east"]);
  stopped.stop.abort(new Error("enough"));
  await stopped.waiting;
  expect(stopped.clock.timerCount).toBe(0);
});

test("without clusters of its own there is nothing to wait for", async () => {
  const { waiting, clock } = openWait([]);
  await waiting;
  expect(clock.nowMs()).toBe(0);
});
