// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";
import { defaultSessionLimits } from "../../session/hub/session-limits.ts";
import type { FleetLog } from "../../store/fleet-log/fleet-log.ts";
import type { ModelAgent } from "../fleet/testing/model-agent.ts";
import { agentOf, namesOf, register } from "../fleet/testing/register.ts";
import { createDisk, startFleet, type TestFleet, type TestFleetOptions } from "../fleet/testing/test-fleet.ts";

/** A log whose appends wait until they are let go. */
class HeldLog {
  readonly #waiting: (() => void)[] = [];
  isHeld = false;

  wrap = (log: FleetLog): FleetLog =>
    new Proxy(log, {
      get: (target, method: keyof FleetLog) => {
        if (method !== "append") return Reflect.get(target, method);
        return async (...args: Parameters<FleetLog["append"]>) => {
          if (this.isHeld) await new Promise<void>((resolve) => this.#waiting.push(resolve));
          return target.append(...args);
        };
      },
    });

  letGo(): void {
    this.isHeld = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

describe("load", () => {
  let hub: TestFleet;

  async function start(options: TestFleetOptions, ...clusters: readonly string[]): Promise<void> {
    hub = await startFleet(options);
    await register(hub.fleet, ...clusters);
  }

  afterEach(async () => {
    await hub.stop();
    expect(hub.clock.timerCount).toBe(0);
  });

  test("[N-24] [L3] [lesson navigator-7.1.7] nothing is acknowledged before it is durable, and heartbeats are answered meanwhile", async () => {
    const held = new HeldLog();
    await start({ wrapLog: held.wrap }, "east");
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    held.isHeld = true;
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    agent.beat();
    await agent.next("heartbeatAnswer");
    await settle();
    expect(agent.count("ack")).toBe(0);
    expect(namesOf(hub.fleet, "east", "pods")).toEqual([]);
    held.letGo();
    expect((await agent.next("ack")).seq).toBe(1n);
    expect(namesOf(hub.fleet, "east", "pods")).toEqual(["a"]);
  });

  test("[N-24] a hub that dies between receipt and Ack has the change exactly once after its restart", async () => {
    const disk = createDisk();
    let isDying = false;
    const released = Promise.withResolvers<void>();
    const wrapLog = (log: FleetLog): FleetLog =>
      new Proxy(log, {
        get: (target, method: keyof FleetLog) => {
          if (method !== "append") return Reflect.get(target, method);
          return async (...args: Parameters<FleetLog["append"]>) => {
            const outcome = await target.append(...args);
            if (isDying) await released.promise;
            return outcome;
          };
        },
      });
    const dying = await startFleet({ disk, wrapLog });
    await register(dying.fleet, "east");
    const agent = agentOf(dying.fleet, "east");
    await agent.join();
    isDying = true;
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    await settle();
    expect(agent.count("ack")).toBe(0);
    await start({ disk, name: "second" });
    const again = agentOf(hub.fleet, "east");
    expect(await again.join()).toMatchObject({ durableIncarnation: again.incarnation, durableSeq: 1n });
    await again.sendFlush(1, [{ resource: "pods", rows: [again.row("pods", { name: "a" })] }]);
    expect((await again.next("ack")).seq).toBe(1n);
    expect(namesOf(hub.fleet, "east", "pods")).toEqual(["a"]);
    const { segments } = await hub.fleetLog.load({ cluster: "east", resource: "pods", bytesLimit: 1e9 });
    expect(segments).toHaveLength(1);
    released.resolve();
    await dying.stop();
  });

  test("[L3] a flush whose append was answered with an error is found again before the next session: the picture never lags behind the log", async () => {
    let isFailing = false;
    const wrapLog = (log: FleetLog): FleetLog =>
      new Proxy(log, {
        get: (target, method: keyof FleetLog) => {
          if (method !== "append") return Reflect.get(target, method);
          return async (...args: Parameters<FleetLog["append"]>) => {
            const outcome = await target.append(...args);
            if (isFailing) throw new Error("the answer was lost");
            return outcome;
          };
        },
      });
    await start({ wrapLog }, "east");
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    isFailing = true;
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    await settle();
    expect(hub.observer.endings).toMatchObject([{ ending: { kind: "lost", reason: "storeFailed" } }]);
    isFailing = false;
    expect(await agent.join()).toMatchObject({ durableSeq: 1n });
    expect(namesOf(hub.fleet, "east", "pods")).toEqual(["a"]);
  });

  test("[Q-30] [SE20] an agent that floods is held to its credit, and others are not delayed", async () => {
    const held = new HeldLog();
    const limits = { ...defaultSessionLimits, maxCreditBytes: 20_000 };
    await start({ wrapLog: held.wrap, settings: { limits } }, "east", "west");
    const [flooding, quiet] = [agentOf(hub.fleet, "east"), agentOf(hub.fleet, "west")];
    expect((await flooding.join()).limits?.creditBytes).toBe(20_000n);
    await quiet.join();
    held.isHeld = true;
    for (let round = 0; round < 200 && !flooding.end.isClosed; round += 1) {
      const rows = Array.from({ length: 20 }, (_, at) => flooding.row("pods", { name: `pod-${round}-${at}` }));
      await flooding.flush([{ resource: "pods", rows }]);
      await settle();
    }
    expect((await flooding.next("rejected")).detail).toContain("the credit is 20000");
    expect(hub.metrics.get("flotilla_session_refusals_total", "east", "overCredit")).toBe(1);
    held.letGo();
    await quiet.flush([{ resource: "pods", rows: [quiet.row("pods", { name: "a" })] }]);
    expect((await quiet.next("ack")).seq).toBe(1n);
    expect(hub.metrics.get("flotilla_ingest_waiting_bytes")).toBe(0);
  });

  test("[SE20] a single flush larger than the credit is taken when it comes alone", async () => {
    const limits = { ...defaultSessionLimits, maxCreditBytes: 100 };
    await start({ settings: { limits } }, "east");
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    await agent.flush([
      { resource: "pods", rows: [agent.row("pods", { name: "a" }), agent.row("pods", { name: "b" })] },
    ]);
    expect((await agent.next("ack")).seq).toBe(1n);
  });

  test("[SE21] credit goes to 0 when the budget is used up, and comes back", async () => {
    const held = new HeldLog();
    const limits = { ...defaultSessionLimits, maxCreditBytes: 5_000 };
    await start({ wrapLog: held.wrap, settings: { limits, ingestBudgetBytes: 600 } }, "east", "west");
    const [east, west] = [agentOf(hub.fleet, "east"), agentOf(hub.fleet, "west")];
    await east.join();
    await west.join();
    held.isHeld = true;
    const rows = Array.from({ length: 20 }, (_, at) => east.row("pods", { name: `pod-${at}` }));
    await east.flush([{ resource: "pods", rows }]);
    expect((await west.next("credit")).bytes).toBe(0n);
    held.letGo();
    await east.next("ack");
    expect((await west.next("credit")).bytes).toBeGreaterThan(0n);
  });

  test("[SE22] first syncs beyond the bound wait in line, are told their place, and move up", async () => {
    await start({ settings: { firstSyncCount: 1 } }, "east", "west", "north");
    const [first, second, third] = [
      agentOf(hub.fleet, "east"),
      agentOf(hub.fleet, "west"),
      agentOf(hub.fleet, "north"),
    ];
    expect((await first.join()).limits?.creditBytes).toBeGreaterThan(0n);
    expect((await second.join()).limits?.creditBytes).toBe(0n);
    expect((await second.next("credit")).position).toBe(1);
    await third.join();
    expect((await third.next("credit")).position).toBe(2);
    await first.flush([{ resource: "pods", rows: [first.row("pods", { name: "a" })] }]);
    first.statuses(["pods"]);
    first.digestKinds(["pods"]);
    expect(await second.next("credit")).toMatchObject({ position: 0 });
    expect(await third.next("credit")).toMatchObject({ position: 1, bytes: 0n });
    second.end.close();
    expect((await third.next("credit")).bytes).toBeGreaterThan(0n);
  });

  test("[SE22] a session whose rows the hub holds does not wait in line", async () => {
    await start({ settings: { firstSyncCount: 1 } }, "east", "west");
    const east = agentOf(hub.fleet, "east");
    await east.join();
    await east.flush([{ resource: "pods", rows: [east.row("pods", { name: "a" })] }]);
    await east.next("ack");
    east.goodbye();
    await settle();
    await agentOf(hub.fleet, "west").join();
    expect((await agentOf(hub.fleet, "east").join()).limits?.creditBytes).toBeGreaterThan(0n);
  });

  async function greetAll(rate: number, count: number): Promise<readonly ModelAgent[]> {
    const clusters = Array.from({ length: count }, (_, at) => `cluster-${at}`);
    await start({ settings: { admissionRate: rate } }, ...clusters);
    const agents = clusters.map((cluster) => agentOf(hub.fleet, cluster));
    for (const agent of agents) await agent.greet();
    await settle();
    return agents;
  }

  test("[SE32] sessions beyond the admission rate wait for their place, and those for whom that is too long are told times that spread them", async () => {
    const agents = await greetAll(2, 17);
    const welcomed = (): number => agents.filter((agent) => agent.count("welcome") > 0).length;
    expect(welcomed()).toBe(2);
    const told = await Promise.all(agents.slice(14).map((agent) => agent.next("rejected")));
    expect(told.every(({ reason }) => reason === RejectReason.OVERLOADED)).toBe(true);
    const [first = 0, second = 0, third = 0] = told.map(({ retryAfterMs }) => retryAfterMs);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    for (let count = 3; count <= 14; count += 1) {
      await hub.clock.advance(500);
      expect(welcomed()).toBe(count);
    }
  });

  test("[SE31] [SE32] who waits for its place and leaves is let go, and a hub that closes tells the others", async () => {
    const [, leaving, waiting] = await greetAll(1, 3);
    leaving?.end.close();
    await settle();
    expect(hub.observer.rejections).toEqual([]);
    hub.abort();
    expect(await waiting?.next("rejected")).toMatchObject({
      reason: RejectReason.OVERLOADED,
      detail: "the hub is closing",
    });
    expect(hub.clock.timerCount).toBeLessThanOrEqual(3);
  });

  test("[RP47] an agent for whose greeting there is no room is told so, and when to come again", async () => {
    await start({}, "east");
    for (let at = 0; at < 1_024; at += 1) agentOf(hub.fleet, "east").dial("10.0.0.9:1");
    const agent = agentOf(hub.fleet, "east");
    agent.dial("10.0.0.9:2");
    const { reason, retryAfterMs, detail } = await agent.next("rejected");
    expect([reason, detail]).toEqual([RejectReason.OVERLOADED, "too many agents connect to the hub at once"]);
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(agent.end.isClosed).toBe(true);
  });
});
