// SPDX-License-Identifier: Apache-2.0
// Failures of the systems before us (docs/lessons.md) that no other test is about.
import { afterEach, describe, expect, test } from "vitest";
import { UplinkRig } from "../../src/agent/uplink/testing/uplink-rig.ts";
import { isEqualIn, pods, withRig } from "../../src/agent/uplink/testing/with-rig.ts";
import { settle } from "../../src/base/testing/manual-clock.ts";
import { agentOf, namesOf, register } from "../../src/hub/fleet/testing/register.ts";
import { startFleet, type TestFleet } from "../../src/hub/fleet/testing/test-fleet.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import { startCast } from "../simulation/fleet/cast.ts";
import { runUntilEqual } from "../simulation/fleet/scenario.ts";
import { simulate } from "../support/sim/simulate.ts";

describe("the hub's end of a session", () => {
  let hub: TestFleet;

  afterEach(async () => {
    await hub.stop();
    expect(hub.clock.timerCount).toBe(0);
  });

  test("[lesson navigator-7.1.4] an answer that nobody waits for any more is taken for what it says, and the session goes on", async () => {
    hub = await startFleet();
    await register(hub.fleet, "east");
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    agent.statuses(["pods"]);
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    expect((await agent.next("ack")).seq).toBe(1n);
    for (let late = 0; late < 5; late += 1) {
      agent.digestKinds(["pods"]);
      agent.digestRoot(["pods"]);
    }
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "b" })] }]);
    expect((await agent.next("ack")).seq).toBe(2n);
    expect(agent.end.isClosed).toBe(false);
    expect(namesOf(hub.fleet, "east", "pods")).toEqual(["a", "b"]);
  });

  test("[lesson navigator-7.1.5] whoever leaves before its answer is ready harms nobody: what it sent counts, the answer goes nowhere, others are served", async () => {
    hub = await startFleet();
    await register(hub.fleet, "east", "west");
    const [leaving, staying] = [agentOf(hub.fleet, "east"), agentOf(hub.fleet, "west")];
    await leaving.join();
    await staying.join();
    await leaving.flush([{ resource: "pods", rows: [leaving.row("pods", { name: "a" })] }]);
    leaving.beat();
    leaving.end.close();
    await staying.flush([{ resource: "pods", rows: [staying.row("pods", { name: "b" })] }]);
    expect((await staying.next("ack")).seq).toBe(1n);
    await settle();
    const durable = (await leaving.join()).durableSeq;
    expect(namesOf(hub.fleet, "east", "pods")).toEqual(durable === 1n ? ["a"] : []);
    leaving.beat();
    await leaving.next("heartbeatAnswer");
  });
});

test(
  "[lesson navigator-7.1.8] however many loops notice that a stream is dead, there is one attempt at a time, and one session after it",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    for (let round = 0; round < 10; round += 1) {
      // The reader sees the end, the writer is refused, and heartbeats stay without an answer, all at once.
      rig.list("pods", pods(1 + (round % 4), String(round)));
      for (const stream of rig.network.streams) stream.cut();
      await rig.world.run(20_000);
    }
    await isEqualIn(rig, 60_000);
    expect(rig.most.dialCount).toBe(1);
    expect(rig.network.streams.length).toBe(1);
  }),
);

test("[lesson navigator-7.1.3] a bug within a session ends the agent, so that whoever runs it begins another; nothing is left that only looks alive", async () => {
  const run = simulate(1, async (world) => {
    const rig = new UplinkRig(world);
    rig.start({
      onConfig: () => {
        throw new TypeError("a bug of ours");
      },
    });
    await world.run(60_000);
  });
  await expect(run).rejects.toThrow("task agent failed: TypeError: a bug of ours");
});

test("[lesson navigator-7.2.3] ten minutes and a hundred scans in which nothing happens in a healthy cluster change its state not once", async () => {
  await simulate(3, async (world) => {
    const cast = startCast(world, { clusterCount: 1 });
    expect(await runUntilEqual(cast, 60_000)).toBe(true);
    const { health } = cast.hub.fleet ?? expect.unreachable();
    const viewer = health.subscribe();
    for (let minute = 0; minute < 10; minute += 1) {
      await world.run(60_000);
      for (const { id } of cast.clusters) expect(health.get(parseClusterId(id))?.connection.state).toBe("live");
    }
    expect(viewer.length).toBe(0);
    viewer.close();
  });
});
