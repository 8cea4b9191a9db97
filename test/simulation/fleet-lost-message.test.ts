// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { seedsToRun, simulate } from "../support/sim/simulate.ts";
import { runLostMessage } from "./fleet/lost-message.ts";
import { groupSeeds } from "./fleet/seed-groups.ts";

/** Kinds of message of which one was lost somewhere in all seeds. */
const lostKinds = new Set<string>();
let seedsRun = 0;

test.each(groupSeeds(seedsToRun(150), 25))(
  "[Q-32, L7, SE13, SE23, SE35] a single message that is lost, whichever it is, leaves nothing wrong beyond the next digest exchange",
  { timeout: 120_000 },
  async (...seeds) => {
    for (const seed of seeds) {
      const { result } = await simulate(seed, async (world) => {
        const { lost, violations } = await runLostMessage(world);
        expect(violations).toEqual([]);
        return lost;
      });
      lostKinds.add(result);
      seedsRun += 1;
    }
  },
);

test("[Q-32] the seeds together lose every kind of message that carries state", ({ skip }) => {
  if (seedsRun < 150) skip("only some seeds were run");
  const expected = [
    "up hello",
    "up flush",
    "up digests",
    "up kindStatuses",
    "up heartbeat",
    "down welcome",
    "down ack",
  ];
  expect(expected.filter((kind) => !lostKinds.has(kind))).toEqual([]);
});
