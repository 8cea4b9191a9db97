// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FlotillaError } from "../base/error.ts";
import { silentLogger } from "../base/log.ts";
import { ManualClock, settle } from "../base/testing/manual-clock.ts";
import { type Retention, runRetention } from "./retention.ts";

const fence = { lease: "fleet-tasks", epoch: 1n };

test("[ST44] a retention that fails is tried again after its interval, the others keep theirs, and all have the fence", async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const removals: string[] = [];
  const add = (what: string, intervalMs: number | undefined, failure?: FlotillaError): Retention => ({
    what,
    ...(intervalMs === undefined ? {} : { intervalMs }),
    async removeOld(held) {
      expect(held.fence).toEqual(fence);
      removals.push(what);
      if (failure !== undefined) throw failure;
    },
  });
  const retentions = [
    add("failing", 60_000, new FlotillaError("UNAVAILABLE", "the disk is full")),
    add("minutely", 60_000),
    add("hourly", undefined),
  ];
  const running = runRetention(retentions, { clock, log: silentLogger }, { fence, signal: stop.signal });
  await settle();
  expect(removals).toEqual(["failing", "minutely", "hourly"]);
  await clock.advance(3_600_000);
  const count = (what: string): number => removals.filter((each) => each === what).length;
  expect(["failing", "minutely", "hourly"].map(count)).toEqual([61, 61, 2]);
  stop.abort(new Error("the lease was lost"));
  await expect(running).rejects.toThrow("the lease was lost");
  expect(clock.timerCount).toBe(0);
});
