// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Hello, KindStatus } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { UplinkRig } from "./testing/uplink-rig.ts";
import { isEqualIn, withRig } from "./testing/with-rig.ts";

function statusesOf(rig: UplinkRig): KindStatus[][] {
  return rig.hub.received.flatMap(({ request: { message } }) =>
    message.case === "kindStatuses" ? [message.value.statuses] : [],
  );
}

function hellosOf(rig: UplinkRig): Hello[] {
  return rig.hub.received.flatMap(({ request: { message } }) => (message.case === "hello" ? [message.value] : []));
}

test(
  "[SE30] every kind's status after Welcome, later those that changed; times are durations before sending",
  withRig(async (rig) => {
    rig.list("services", []);
    await rig.world.run(60_000);
    rig.start();
    await isEqualIn(rig, 5_000);
    const [all] = statusesOf(rig);
    expect(all?.map(({ resource, isComplete }) => [resource, isComplete])).toEqual([
      ["pods", true],
      ["services", true],
    ]);
    expect(Number(all?.[0]?.sinceMsAgo)).toBeGreaterThanOrEqual(60_000);
    expect(Number(all?.[0]?.sinceMsAgo)).toBeLessThan(62_000);
    rig.report("services", { fault: "forbidden", verb: "list", error: "services is forbidden" });
    await rig.world.run(1_000);
    expect(statusesOf(rig).at(-1)).toMatchObject([{ resource: "services", fault: "forbidden", isComplete: true }]);
    rig.report("services", { fault: "", verb: "", error: "", listedAtMs: rig.world.clock.nowMs() });
    await rig.world.run(1_000);
    expect(statusesOf(rig).at(-1)).toMatchObject([{ resource: "services", listedMsAgo: expect.any(BigInt) }]);
    expect(all?.[0]?.listedMsAgo).toBeUndefined();
    const count = statusesOf(rig).length;
    rig.report("services", {});
    await rig.world.run(1_000);
    expect(statusesOf(rig).length).toBe(count);
  }),
);

test(
  "[SE1] [N-44] sessions of one process have one agent id and one incarnation; another process has others",
  withRig(async (rig) => {
    const first = rig.start();
    await isEqualIn(rig, 5_000);
    for (const stream of rig.network.streams) stream.cut();
    await rig.world.runUntil("live again", () => rig.hub.epoch === 2, 5_000);
    first.stop();
    await rig.world.run(1_000);
    rig.start({}, "agent again");
    await rig.world.runUntil("the other process", () => rig.hub.epoch === 3, 5_000);
    const [one, two, other] = hellosOf(rig);
    expect([two?.agentId, two?.incarnation]).toEqual([one?.agentId, one?.incarnation]);
    expect(other?.agentId).not.toBe(one?.agentId);
    expect(other?.incarnation).not.toBe(one?.incarnation);
    expect([one?.clusterId, one?.shard]).toEqual(["c1", ""]);
  }),
);
