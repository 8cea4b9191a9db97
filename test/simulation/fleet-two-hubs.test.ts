// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { seedsToRun, simulate } from "../support/sim/simulate.ts";
import { groupSeeds } from "./fleet/seed-groups.ts";
import { runTwoHubs } from "./fleet/two-hubs.ts";

const seenEvents = new Set<string>();
let runCount = 0;

/** Ways in which two hubs meet, by a line of the trace. */
const expectedEvents: Readonly<Record<string, RegExp>> = {
  "turned away for the session of the other hub": /session rejected .*reason=ACTIVE_SESSION/,
  "the other hub's epoch fences a write": /^\d+ append of \S+ fenced$/,
  "a hub that died": /^\d+ crash hub-[ab] machine$/,
  "a hub that lived on without its databases": /^\d+ hub-[ab] does not reach its databases$/,
  "databases that went down with both hubs": /^\d+ task stores crashed$/,
  "databases that came back from a backup": /^\d+ disk store restored/,
  "the tasks of the fleet are taken over": /^\d+ hub-[ab] does the tasks of the fleet in epoch [2-9]/,
};

test.each(groupSeeds(seedsToRun(60), 20))(
  "[SE9, SE11, SE41, N-48, ST44, FL17] two hubs on one store give a cluster one session: no outdated epoch writes, no row goes that is there, and in the end each cluster is live at one hub, and both show it as it is",
  { timeout: 180_000 },
  async (...seeds) => {
    for (const seed of seeds) {
      await simulate(seed, async (world) => {
        const violations = await runTwoHubs(world);
        for (const [event, pattern] of Object.entries(expectedEvents))
          if (world.trace.lines.some((line) => pattern.test(line))) seenEvents.add(event);
        expect(violations).toEqual([]);
      });
      runCount += 1;
    }
  },
);

test("[SE9, SE11] the seeds together meet every way in which two hubs meet", ({ skip }) => {
  if (runCount < 60) skip("only some seeds were run");
  expect(Object.keys(expectedEvents).filter((event) => !seenEvents.has(event))).toEqual([]);
});

test("[FL17] a hub that shows only what it loaded at its start is found", async () => {
  await simulate(1, async (world) => {
    const violations = await runTwoHubs(world, { isFollowing: false });
    expect(violations.join()).toContain("where it is followed");
  });
});
