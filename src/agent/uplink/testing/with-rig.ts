// SPDX-License-Identifier: Apache-2.0
// What the tests of the uplink begin with.
import { expect } from "vitest";
import type { SimNetworkOptions } from "../../../../test/support/sim/network.ts";
import { simulate } from "../../../../test/support/sim/simulate.ts";
import type { Row } from "../../../model/rows/row.ts";
import { sampleRow } from "../../../session/agent/testing/sample-rows.ts";
import { UplinkRig } from "./uplink-rig.ts";

/** That many pods. */
export function pods(count: number, note = ""): Row[] {
  return Array.from({ length: count }, (_, at) => sampleRow({ name: `pod-${at}`, note }));
}

/** A world with a hub and an agent that has listed five pods. Afterwards the hub has seen no fault of the agent. */
export function withRig(
  scenario: (rig: UplinkRig) => Promise<void>,
  network: SimNetworkOptions = {},
): () => Promise<void> {
  return async () => {
    await simulate(1, async (world) => {
      const rig = new UplinkRig(world, network);
      rig.list("pods", pods(5));
      await scenario(rig);
      expect(rig.hub.faults).toEqual([]);
    });
  };
}

/** Until the hub holds exactly the table's rows. */
export function isEqualIn(rig: UplinkRig, limitMs: number): Promise<void> {
  return rig.world.runUntil("equal rows", () => rig.isEqual, limitMs);
}
