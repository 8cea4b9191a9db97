// SPDX-License-Identifier: Apache-2.0
// What one cluster may have: rows, kinds and memory (SE56, SE57). The reason reaches the agent and the cluster's state;
// what the hub had stays.
import { afterEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";
import { defaultClusterLimits } from "../../index/fold/cluster-size.ts";
import { agentOf, namesOf, register } from "../fleet/testing/register.ts";
import { startFleet, type TestFleet } from "../fleet/testing/test-fleet.ts";

const refusals = "flotilla_session_refusals_total";
let hub: TestFleet;

afterEach(async () => {
  await hub.stop();
});

async function start(limits: Partial<typeof defaultClusterLimits>): Promise<void> {
  hub = await startFleet({ settings: { clusterLimits: { ...defaultClusterLimits, ...limits } } });
  await register(hub.fleet, "east", "west");
}

/** Lets a flush come through, however many turns of work it takes. */
async function settleWork(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await hub.clock.advance(1);
}

describe("the limits of a cluster", () => {
  test("[SE57] [L13] a flush beyond the rows of a cluster is refused with the reason, and the hub keeps what it had", async () => {
    await start({ rowCount: 3 });
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const rows = ["a", "b", "c"].map((name) => agent.row("pods", { name }));
    await agent.flush([{ resource: "pods", rows }]);
    await agent.next("ack");
    // As many rows, one of them another, is no growth: the bound is on what is held, not on what is sent.
    const deletes = [{ namespace: "default", name: "a", uid: rows[0]?.uid ?? "" }];
    await agent.flush([{ resource: "pods", deletes, rows: [agent.row("pods", { name: "d" })] }]);
    await settleWork();
    await agent.next("ack");
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "e" })] }]);
    await settleWork();
    const { reason, retryAfterMs, detail } = await agent.next("rejected");
    expect([reason, retryAfterMs]).toEqual([RejectReason.PROTOCOL, 60_000]);
    expect(detail).toBe(
      "the cluster would have 4 rows, the most is 3; collect less, or raise --max-cluster-rows of the hub",
    );
    expect(namesOf(hub.fleet, "east", "pods")).toEqual(["b", "c", "d"]);
    expect(hub.metrics.get(refusals, "east", "overClusterLimit")).toBe(1);
    expect(hub.observer.endings.at(-1)?.ending).toMatchObject({ kind: "lost", reason: "refused", detail });
    expect(await hub.fleetLog.progress("east", "")).toMatchObject({ seq: 2 });
  });

  test("[SE57] [L14] a large flush meets the same limit, and another cluster none of it", async () => {
    await start({ rowCount: 2_500 });
    const [east, west] = [agentOf(hub.fleet, "east"), agentOf(hub.fleet, "west")];
    for (const [agent, count] of [
      [east, 2_501],
      [west, 2_500],
    ] as const) {
      await agent.join();
      const rows = Array.from({ length: count }, (_, at) => agent.row("pods", { name: `p${at}` }));
      await agent.flush([{ resource: "pods", rows }]);
      await settleWork();
    }
    expect((await east.next("rejected")).detail).toContain("2501 rows");
    await west.next("ack");
    expect(hub.fleet.fleetRows.rowCount("east")).toBe(0);
    expect(hub.fleet.fleetRows.rowCount("west")).toBe(2_500);
  });

  test("[SE57] memory has a limit of its own", async () => {
    await start({ bytes: 10_000 });
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const rows = Array.from({ length: 300 }, (_, at) => agent.row("pods", { name: `pod-${at}` }));
    await agent.flush([{ resource: "pods", rows }]);
    await settleWork();
    expect((await agent.next("rejected")).detail).toContain("--max-cluster-size");
    expect(hub.fleet.fleetRows.kinds("east")).toEqual([]);
  });

  test("[SE57] a Hello that announces more kinds than a cluster may have is rejected, and the cluster shows why", async () => {
    await start({ kindCount: 2 });
    const agent = agentOf(hub.fleet, "east", { resources: ["pods", "services", "nodes"] });
    expect(await agent.connect()).toBe("rejected");
    const { reason, detail } = await agent.next("rejected");
    expect(reason).toBe(RejectReason.PROTOCOL);
    expect(detail).toContain("announces 3 kinds, the most is 2");
    expect(hub.observer.rejections).toMatchObject([{ cluster: "east", isProven: true, detail }]);
    expect(await agentOf(hub.fleet, "east", { resources: ["pods", "services"] }).connect()).toBe("welcome");
  });

  test("[SE57] kinds of one session after another add up to the same limit", async () => {
    await start({ kindCount: 2 });
    for (const resource of ["pods", "services", "nodes"]) {
      const agent = agentOf(hub.fleet, "east", { resources: [resource], incarnation: `inc-${resource}` });
      await agent.join();
      await agent.flush([{ resource, rows: [agent.row(resource, { name: "a" })] }]);
      await settleWork();
      if (resource === "nodes") expect((await agent.next("rejected")).detail).toContain("3 kinds, the most is 2");
      else await agent.next("ack");
      agent.goodbye();
      await settle();
    }
    expect(hub.fleet.fleetRows.kinds("east").map(({ resource }) => resource)).toEqual(["pods", "services"]);
  });

  test.each(["flush", "status", "digest"])(
    "[SE56] a %s of a kind that the agent has not named is refused",
    async (what) => {
      await start({});
      const agent = agentOf(hub.fleet, "east", { resources: ["pods"] });
      await agent.join();
      if (what === "flush") await agent.flush([{ resource: "nodes", rows: [agent.row("nodes", { name: "n" })] }]);
      else if (what === "status") agent.statuses(["nodes"]);
      else agent.digestKinds(["nodes"]);
      expect((await agent.next("rejected")).detail).toBe("the agent has not named the kind nodes");
      expect(hub.fleet.fleetRows.kinds("east")).toEqual([]);
      expect(hub.observer.statuses).toEqual([]);
      expect(hub.metrics.get(refusals, "east", "notAnnounced")).toBe(1);
    },
  );

  test("[SE56] a kind that the agent names after its Hello is one that the session is about", async () => {
    await start({});
    const agent = agentOf(hub.fleet, "east", { resources: ["pods"] });
    await agent.join();
    agent.follow(["example.com/widgets"]);
    agent.statuses(["example.com/widgets"]);
    const rows = [agent.row("example.com/widgets", { name: "w" })];
    await agent.flush([{ resource: "example.com/widgets", rows }]);
    await settleWork();
    await agent.next("ack");
    expect(namesOf(hub.fleet, "east", "example.com/widgets")).toEqual(["w"]);
  });

  test("[SE57] kinds that are named later count, and beyond the limit the agent is told what to do", async () => {
    await start({ kindCount: 2 });
    const agent = agentOf(hub.fleet, "east", { resources: ["pods"] });
    await agent.join();
    agent.follow(["pods", "services"]);
    agent.follow(["nodes"]);
    const { retryAfterMs, detail } = await agent.next("rejected");
    expect(retryAfterMs).toBe(60_000);
    expect(detail).toBe(
      "the agent announces 3 kinds, the most is 2; follow fewer, or raise --max-cluster-kinds of the hub",
    );
  });

  test("[SE58] Welcome names the kinds of which the hub holds rows and the Hello does not speak", async () => {
    await start({});
    const before = agentOf(hub.fleet, "east", { resources: ["pods", "example.com/widgets", "nodes"] });
    await before.join();
    const rowOf = (resource: string) => ({ resource, rows: [before.row(resource, { name: "a" })] });
    await before.flush([rowOf("pods"), rowOf("example.com/widgets")]);
    await settleWork();
    await before.next("ack");
    before.goodbye();
    await settle();
    const after = agentOf(hub.fleet, "east", { resources: ["pods"], incarnation: "inc-2" });
    expect(await after.connect()).toBe("welcome");
    expect((await after.next("welcome")).heldResources).toEqual(["example.com/widgets"]);
  });
});
