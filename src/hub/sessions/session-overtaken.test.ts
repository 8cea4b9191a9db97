// SPDX-License-Identifier: Apache-2.0
// A hub that is slow to accept a session, and another hub on the same store that is faster.
import { describe, expect, test } from "vitest";
import { RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";
import { claimName } from "../../session/hub/claims.ts";
import type { FleetLog } from "../../store/fleet-log/fleet-log.ts";
import { agentOf, register } from "../fleet/testing/register.ts";
import { startFleet } from "../fleet/testing/test-fleet.ts";

/** The log of a hub that stands still for a moment before it raises an epoch: `meanwhile` happens once, then. */
function slowToRaise(meanwhile: (log: FleetLog, epoch: number) => Promise<unknown>): (log: FleetLog) => FleetLog {
  let isFirst = true;
  return (log) =>
    new Proxy(log, {
      get: (target, name) => {
        if (name !== "raiseEpoch") return Reflect.get(target, name) as unknown;
        return async (cluster: string, shard: string, epoch: number) => {
          if (isFirst) await meanwhile(target, epoch);
          isFirst = false;
          return target.raiseEpoch(cluster, shard, epoch);
        };
      },
    });
}

describe("a hub that is overtaken while it accepts a session", () => {
  test.each([
    ["the same epoch", 0],
    ["a higher epoch", 1],
  ])(
    "[SE11] [FL2] %s was given out by another hub: the agent is told to come again, and then gets a higher one",
    async (_, ahead) => {
      const wrapLog = slowToRaise((log, epoch) => log.raiseEpoch("east", "", epoch + ahead));
      const hub = await startFleet({ wrapLog });
      await register(hub.fleet, "east");
      const agent = agentOf(hub.fleet, "east");
      expect(await agent.connect()).toBe("rejected");
      const rejected = await agent.next("rejected");
      expect(rejected.reason).toBe(RejectReason.ACTIVE_SESSION);
      expect(rejected.detail).toContain("another hub");
      expect(hub.fleet.sessions.list()).toEqual([]);
      expect((await agent.join()).epoch).toBe(BigInt(2 + ahead));
      await hub.stop();
    },
  );

  test("[SE9] [ST26] a hub that lost the claim meanwhile writes no session and welcomes nobody", async () => {
    const hub = await startFleet({
      wrapLog: slowToRaise(async () => {
        const { leases } = hub.store;
        const taken = await leases.acquire(claimName("east", ""), "nobody", 1);
        if (taken.kind === "taken") await leases.release(claimName("east", ""), taken.holder);
        await leases.acquire(claimName("east", ""), "hub-two agent-two incarnation", 60_000);
      }),
    });
    await register(hub.fleet, "east");
    const agent = agentOf(hub.fleet, "east");
    expect(await agent.connect()).toBe("rejected");
    expect(await agent.next("rejected")).toMatchObject({ reason: RejectReason.ACTIVE_SESSION });
    expect(await hub.fleet.claims.list()).toEqual([]);
    expect(hub.fleet.sessions.list()).toEqual([]);
    await hub.stop();
  });
});
