// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { simulate } from "../support/sim/simulate.ts";
import { measureRest } from "./fleet/hanging-clusters.ts";
import { heartbeatMs } from "./fleet/timing.ts";

test("[Q-26, L14] with 5 of 100 clusters hanging the changes of the others are shown as soon as with none", {
  timeout: 300_000,
}, async () => {
  await simulate(1, async (world) => {
    const { calmMs, hangingMs } = await measureRest(world);
    expect(hangingMs).toBeLessThanOrEqual(calmMs + heartbeatMs);
  });
});
