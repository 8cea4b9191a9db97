// SPDX-License-Identifier: Apache-2.0
// Two hubs on one store: the one without the session of a cluster shows what the other has made durable.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import type { FleetLog } from "../../store/fleet-log/fleet-log.ts";
import { agentOf, namesOf, register, rowsOf } from "../fleet/testing/register.ts";
import { startFleet, type TestFleet } from "../fleet/testing/test-fleet.ts";
import { writeCheckpoint } from "./checkpoints.ts";
import { LogSizes } from "./log-sizes.ts";

const followMs = 1_000;
const never = new AbortController().signal;

describe("a hub that follows the fleet log", () => {
  let one: TestFleet;
  let two: TestFleet;
  let hubs: TestFleet[];

  beforeEach(async () => {
    one = await startFleet({ hubId: "one", followMs });
    await register(one.fleet, "east", "west");
    two = await startFleet({ disk: one.disk, name: "two", hubId: "two", followMs });
    hubs = [two, one];
    await one.clock.advance(followMs);
  });

  afterEach(async () => {
    for (const hub of hubs) await hub.stop();
    for (const hub of hubs) await hub.store.close();
    expect(one.clock.timerCount).toBe(0);
  });

  test("[FL17] rows of a cluster whose session another hub holds appear by a wake-up, or with the next poll", async () => {
    const agent = agentOf(one.fleet, "east");
    await agent.join();
    await agent.flush([
      { resource: "pods", rows: [agent.row("pods", { name: "a" }), agent.row("pods", { name: "b" })] },
    ]);
    await agent.next("ack");
    expect(namesOf(two.fleet, "east", "pods")).toEqual([]);
    two.fleet.noteAppended(await one.fleetLog.headPosition());
    await settle();
    expect(namesOf(two.fleet, "east", "pods")).toEqual(["a", "b"]);
    await agent.flush([{ resource: "pods", deletes: [{ namespace: "default", name: "a", uid: "" }] }]);
    await agent.next("ack");
    await one.clock.advance(followMs);
    expect(namesOf(two.fleet, "east", "pods")).toEqual(["b"]);
    expect(rowsOf(two.fleet, "east", "pods")).toEqual(rowsOf(one.fleet, "east", "pods"));
  });

  test("[FL17] what this hub folded itself is not folded again", async () => {
    const agent = agentOf(one.fleet, "east");
    await agent.join();
    const { position } = one.fleet.feed.cursor;
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    await agent.next("ack");
    await one.clock.advance(3 * followMs);
    expect(one.fleet.feed.cursor.position).toBe(position + 1);
    expect(two.fleet.feed.cursor.position).toBe(1);
  });

  test("[SE11] [FL17] an agent that moves to the other hub goes on where it was: nothing is loaded anew, nothing is missing", async () => {
    const first = agentOf(one.fleet, "east", { incarnation: "same" });
    await first.join();
    await first.flush([{ resource: "pods", rows: [first.row("pods", { name: "a" })] }]);
    await first.next("ack");
    const moved = agentOf(two.fleet, "east", { incarnation: "same" });
    const welcome = await moved.join();
    expect(welcome).toMatchObject({ epoch: 2n, durableSeq: 1n });
    expect(namesOf(two.fleet, "east", "pods")).toEqual(["a"]);
    await moved.flush([{ resource: "pods", rows: [moved.row("pods", { name: "b" })] }]);
    await moved.next("ack");
    await one.clock.advance(followMs);
    expect(namesOf(one.fleet, "east", "pods")).toEqual(["a", "b"]);
  });

  test("[FL16] a removed cluster loses its rows at every hub, and one that is registered under the same id later keeps its own", async () => {
    const agent = agentOf(one.fleet, "east");
    await agent.join();
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "old" })] }]);
    await agent.next("ack");
    await one.clock.advance(followMs);
    expect(namesOf(two.fleet, "east", "pods")).toEqual(["old"]);
    await one.fleet.removeCluster("east");
    await register(one.fleet, "east");
    const next = agentOf(one.fleet, "east", { incarnation: "next" });
    await next.join();
    await next.flush([{ resource: "pods", rows: [next.row("pods", { name: "new" })] }]);
    await next.next("ack");
    await one.clock.advance(followMs);
    expect(namesOf(two.fleet, "east", "pods")).toEqual(["new"]);
    expect(namesOf(one.fleet, "east", "pods")).toEqual(["new"]);
  });

  test("[FL10] a session at another hub that has not heard of its cluster's removal yet can append nothing", async () => {
    const agent = agentOf(one.fleet, "east");
    await agent.join();
    await two.fleet.removeCluster("east");
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "ghost" })] }]);
    await settle();
    expect(await one.fleetLog.resources()).toEqual([]);
    await one.clock.advance(followMs);
    expect(one.fleet.sessions.list()).toEqual([]);
    expect(namesOf(one.fleet, "east", "pods")).toEqual([]);
  });

  test("[FL14] a hub that retention has passed loads anew", async () => {
    const held = Promise.withResolvers<void>();
    const three = await startFleet({
      disk: one.disk,
      name: "three",
      hubId: "three",
      followMs,
      wrapLog: (log) => holdFollow(log, held.promise),
    });
    hubs = [three, ...hubs];
    const agent = agentOf(one.fleet, "east");
    await agent.join();
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    await agent.flush([{ resource: "nodes", rows: [agent.row("nodes", { name: "n" })] }]);
    for (let acked = 0; acked < 2; acked += 1) await agent.next("ack");
    const options = { ...one, fleetRows: one.fleet.fleetRows, sizes: new LogSizes() };
    await writeCheckpoint({ ...options, log: silentLogger }, { cluster: "east", resource: "pods" }, never);
    await one.fleetLog.retain(one.clock.wallMs() + 1);
    held.resolve();
    await one.clock.advance(followMs);
    expect(namesOf(three.fleet, "east", "pods")).toEqual(["a"]);
    expect(namesOf(three.fleet, "east", "nodes")).toEqual(["n"]);
  });
});

/** A log that nothing is read of behind a position before this. */
function holdFollow(log: FleetLog, until: Promise<void>): FleetLog {
  return new Proxy(log, {
    get: (target, method) => {
      if (method !== "follow") return Reflect.get(target, method) as unknown;
      return async (...args: Parameters<FleetLog["follow"]>) => {
        await until;
        return target.follow(...args);
      };
    },
  });
}
