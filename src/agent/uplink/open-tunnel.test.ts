// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import type { TunnelOffer } from "../../session/tunnel/tunnel.ts";
import type { UplinkRig } from "./testing/uplink-rig.ts";
import { isEqualIn, withRig } from "./testing/with-rig.ts";

/** What the newest Hello says of tunnels. */
function saysServed(rig: UplinkRig): boolean | undefined {
  const message = rig.hub.received.findLast(({ kind }) => kind === "hello")?.request.message;
  return message?.case === "hello" ? message.value.servesTunnels : undefined;
}

const offer = { tunnelId: "tun_1", ticket: new Uint8Array(32).fill(7), deadlineMs: 15_000 };

test(
  "[TU1] [TU3] an agent that serves tunnels says so in Hello, and each offer of the hub is handed on as it came",
  withRig(async (rig) => {
    const offers: TunnelOffer[] = [];
    rig.start({ openTunnel: (each) => void offers.push(each) });
    await isEqualIn(rig, 5_000);
    expect(saysServed(rig)).toBe(true);
    await rig.hub.say({ case: "openTunnel", value: offer });
    await rig.hub.say({ case: "openTunnel", value: { ...offer, tunnelId: "tun_2" } });
    await rig.world.runUntil("two offers", () => offers.length === 2, 5_000);
    expect(offers).toEqual([offer, { ...offer, tunnelId: "tun_2" }]);
  }),
);

test(
  "[TU4] a tunnel that failed is told in the session; one of a session that is over is told to nobody",
  withRig(async (rig) => {
    const tellers: ((error: FlotillaError) => void)[] = [];
    rig.start({ openTunnel: (_offer, reportFailure) => void tellers.push(reportFailure) });
    await isEqualIn(rig, 5_000);
    await rig.hub.say({ case: "openTunnel", value: offer });
    await rig.world.runUntil("an offer", () => tellers.length === 1, 5_000);
    const failures = (): unknown[] =>
      rig.hub.received.flatMap(({ request: { message } }) =>
        message.case === "tunnelFailures" ? message.value.failures : [],
      );
    const error = new FlotillaError("UNAVAILABLE", "the hub cannot be reached");
    tellers[0]!(error);
    await rig.world.runUntil("the failure", () => failures().length === 1, 5_000);
    expect(failures()).toMatchObject([
      { tunnelId: "tun_1", reason: { code: "UNAVAILABLE", message: "the hub cannot be reached" } },
    ]);
    for (const stream of rig.network.streams) stream.cut();
    await rig.world.runUntil("live again", () => rig.hub.sessionCount === 2 && rig.status === "live", 10_000);
    tellers[0]!(error);
    await rig.world.run(20_000);
    expect(failures()).toHaveLength(1);
  }),
);

test(
  "[TU3] one that serves none says so, and an offer that comes all the same does its session no harm",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    expect(saysServed(rig)).toBe(false);
    await rig.hub.say({ case: "openTunnel", value: offer });
    await rig.world.run(20_000);
    expect(rig.hub.sessionCount).toBe(1);
  }),
);
