// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import type { Cluster } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { sessionBucketCount } from "../../model/rows/bucket.ts";
import { bucketOf } from "../../model/rows/testing/key-digests.ts";
import { holdMs } from "../../session/hub/admission.ts";
import type { FleetLog } from "../../store/fleet-log/fleet-log.ts";
import { hubSubject } from "../access/hub-subject.ts";
import type { Fleet } from "../fleet/fleet.ts";
import { agentOf, namesOf, register, rowsOf } from "../fleet/testing/register.ts";
import { startFleet, type TestFleet } from "../fleet/testing/test-fleet.ts";
import { uidOfNumber } from "../fleet/testing/test-rows.ts";
import { loadSessions, toClusterMessage } from "../fleet-services/cluster-message.ts";
import { createClusterStateSource } from "../fleet-services/cluster-state-source.ts";
import { CredentialTerms } from "../fleet-services/credential-terms.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";
import { KindDetails } from "../fleet-services/kind-details.ts";
import { isCheckpointDue, writeCheckpoint } from "./checkpoints.ts";
import { LogSizes } from "./log-sizes.ts";

const never = new AbortController().signal;

/** A hub whose cluster `east` has pods by upserts, a change, a delete and a replaced bucket. */
async function startWithHistory(): Promise<TestFleet> {
  const hub = await startFleet();
  await register(hub.fleet, "east");
  const agent = agentOf(hub.fleet, "east");
  await agent.join();
  const rows = Array.from({ length: 30 }, (_, at) => agent.row("pods", { name: `pod-${at}`, uid: uidOfNumber(at) }));
  await agent.flush([{ resource: "pods", rows }]);
  agent.statuses(["pods"]);
  await agent.flush([
    { resource: "pods", rows: [agent.row("pods", { name: "pod-1", uid: uidOfNumber(1), phase: "Failed" })] },
  ]);
  await agent.flush([{ resource: "pods", deletes: [{ namespace: "default", name: "pod-2", uid: uidOfNumber(2) }] }]);
  const bucket = bucketOf({ namespace: "default", name: "pod-3" }, sessionBucketCount);
  await agent.flush([{ resource: "pods", bucket }]);
  for (let seq = 1; seq <= 4; seq += 1) await agent.next("ack");
  return hub;
}

function checkpointOptions(hub: TestFleet, sizes: LogSizes): Parameters<typeof writeCheckpoint>[0] {
  const { fleetLog, clock } = hub;
  return { fleetLog, fleetRows: hub.fleet.fleetRows, sizes, clock, log: silentLogger };
}

/** A log that gives no rows before this. */
function holdLoads(until: Promise<void>): (log: FleetLog) => FleetLog {
  return (log) =>
    new Proxy(log, {
      get: (target, method: keyof FleetLog) => {
        if (method !== "load") return Reflect.get(target, method);
        return async (...args: Parameters<FleetLog["load"]>) => {
          await until;
          return target.load(...args);
        };
      },
    });
}

/** The cluster as it is told, of which health knows nothing yet. */
async function describeCluster(fleet: Fleet, id: string): Promise<Cluster> {
  const health = { get: () => undefined, kinds: () => [] } as unknown as FleetParts["health"];
  const told = { details: new KindDetails(), credentials: new CredentialTerms(), clock: new ManualClock() };
  const parts: FleetParts = { fleet, health, ...told };
  const record = await fleet.clusters.load(id);
  if (record === undefined) throw new Error(`${id} is not registered`);
  const summary = await fleet.reader.summarize(hubSubject, id);
  return toClusterMessage(parts, record, { sessions: await loadSessions(parts), summary });
}

describe("restore", () => {
  test("[N-29] [lesson navigator-7.2.2] after a restart, before any agent is back, the same rows are there with their age", async () => {
    const hub = await startWithHistory();
    const before = rowsOf(hub.fleet, "east", "pods");
    const [kind] = hub.fleet.fleetRows.kinds("east");
    await hub.stop();
    await hub.clock.advance(3_600_000);
    const second = await startFleet({ disk: hub.disk, name: "second" });
    expect(second.fleet.sessions.list()).toEqual([]);
    expect(rowsOf(second.fleet, "east", "pods")).toEqual(before);
    const [restored] = second.fleet.fleetRows.kinds("east");
    expect(restored).toEqual(kind);
    expect(second.clock.wallMs() - (restored?.receivedAtMs ?? 0)).toBeGreaterThanOrEqual(3_600_000);
    expect(second.fleet.restore.progress).toMatchObject({ loadedCount: 1, totalCount: 1, isDone: true });
    await second.stop();
  });

  test("[L5] a restart appends nothing, and a session resumes behind what is durable", async () => {
    const hub = await startWithHistory();
    await hub.stop();
    const second = await startFleet({ disk: hub.disk, name: "second" });
    const agent = agentOf(second.fleet, "east");
    expect(await agent.join()).toMatchObject({ durableIncarnation: agent.incarnation, durableSeq: 4n });
    const { segments } = await second.fleetLog.load({ cluster: "east", resource: "pods", bytesLimit: 1e9 });
    expect(segments).toHaveLength(4);
    await second.stop();
  });

  test("a checkpoint holds what its segments made, and later segments are folded behind it", async () => {
    const hub = await startWithHistory();
    const sizes = new LogSizes();
    await writeCheckpoint(checkpointOptions(hub, sizes), { cluster: "east", resource: "pods" }, never);
    expect(sizes.get("east", "pods").checkpointBytes).toBeGreaterThan(0);
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "later" })] }]);
    await agent.next("ack");
    const before = rowsOf(hub.fleet, "east", "pods");
    expect(await hub.fleetLog.retain(hub.clock.wallMs() + 1)).toMatchObject({ removed: 4 });
    const { segments } = await hub.fleetLog.load({ cluster: "east", resource: "pods", bytesLimit: 1e9 });
    expect(segments.map(({ form }) => form.kind)).toEqual(["checkpoint", "delta"]);
    await hub.stop();
    const second = await startFleet({ disk: hub.disk, name: "second" });
    expect(rowsOf(second.fleet, "east", "pods")).toEqual(before);
    await second.stop();
  });

  test("checkpoints are written by themselves where many segments have come", async () => {
    const hub = await startWithHistory();
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    for (let count = 0; count < 520; count += 1) {
      await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "busy", replicas: count })] }]);
      if (count % 20 === 0) await settle();
    }
    while (agent.count("ack") < 520) await settle();
    agent.goodbye();
    const stopping = new AbortController();
    const writing = hub.fleet.runCheckpoints(stopping.signal);
    await hub.clock.advance(10_000);
    const { segments } = await hub.fleetLog.load({ cluster: "east", resource: "pods", bytesLimit: 1e9 });
    expect(segments.map(({ form }) => form.kind)).toEqual(["checkpoint"]);
    stopping.abort(new Error("done"));
    await expect(writing).rejects.toThrow("done");
    await hub.stop();
  });

  test("a checkpoint is due by segments, or by bytes in proportion to the checkpoint before", () => {
    const size = { cluster: "", resource: "", segmentCount: 1, segmentBytes: 0, checkpointBytes: 0 };
    const mib = 1024 * 1024;
    expect(isCheckpointDue(size)).toBe(false);
    expect(isCheckpointDue({ ...size, segmentCount: 512 })).toBe(true);
    expect(isCheckpointDue({ ...size, segmentBytes: 5 * mib })).toBe(true);
    expect(isCheckpointDue({ ...size, segmentBytes: 5 * mib, checkpointBytes: 6 * mib })).toBe(false);
  });

  test("[L14] a segment that cannot be read harms only its kind, and the agent's digests bring its rows back", async () => {
    const hub = await startWithHistory();
    const { epoch = 0 } = (await hub.fleetLog.progress("east", "")) ?? {};
    const flush = { cluster: "east", shard: "", epoch, incarnation: "agent-of-damage", seq: 1 };
    const bytes = new Uint8Array([0x7a, 1, 2]);
    await hub.fleetLog.append({ ...flush, parts: [{ resource: "services", form: { kind: "delta" }, bytes }] });
    await hub.stop();
    const second = await startFleet({ disk: hub.disk, name: "second" });
    expect(second.fleet.restore.progress.isDone).toBe(true);
    expect(namesOf(second.fleet, "east", "pods").length).toBeGreaterThan(20);
    const agent = agentOf(second.fleet, "east");
    await agent.join();
    agent.holdAll("services", [agent.row("services", { name: "web" })]);
    agent.statuses(["services"]);
    agent.digestKinds(["services"]);
    await agent.mend(await agent.next("needBuckets"));
    await agent.next("ack");
    expect(namesOf(second.fleet, "east", "services")).toEqual(["web"]);
    await second.stop();
  });

  test("[SE32] an agent that comes before the log is listed is let in then, where there is nothing of its cluster to load", async () => {
    const listed = Promise.withResolvers<void>();
    const wrapLog = (log: FleetLog): FleetLog =>
      new Proxy(log, {
        get: (target, method: keyof FleetLog) => {
          if (method !== "resources") return Reflect.get(target, method);
          return async () => {
            await listed.promise;
            return target.resources();
          };
        },
      });
    const hub = await startFleet({ wrapLog });
    await register(hub.fleet, "west");
    const agent = agentOf(hub.fleet, "west");
    await agent.greet();
    await settle();
    expect(agent.count("welcome")).toBe(0);
    listed.resolve();
    await agent.next("welcome");
    await hub.stop();
  });

  test("[SE32] an agent whose cluster is still being loaded is let in once it is, and told to come again where that takes long", async () => {
    const hub = await startWithHistory();
    await hub.stop();
    const held = Promise.withResolvers<void>();
    const second = await startFleet({ disk: hub.disk, name: "second", wrapLog: holdLoads(held.promise) });
    const agent = agentOf(second.fleet, "east");
    await agent.greet();
    await second.clock.advance(holdMs - 1);
    expect([agent.count("welcome"), agent.count("rejected")]).toEqual([0, 0]);
    expect(second.fleet.restore.progress).toMatchObject({ loadedCount: 0, totalCount: 1, isDone: false });
    await second.clock.advance(1);
    expect((await agent.next("rejected")).detail).toContain("loading");
    await agent.greet();
    held.resolve();
    await agent.next("welcome");
    await second.stop();
  });

  test("[L2] rows of a cluster whose grants were complete are not shown before all of them are loaded", async () => {
    const hub = await startWithHistory();
    await hub.fleet.clusters.update("east", (record) => ({ ...record, rbacCompleteAtMs: 1 }));
    await hub.stop();
    const held = Promise.withResolvers<void>();
    const second = await startFleet({ disk: hub.disk, name: "second", wrapLog: holdLoads(held.promise) });
    await settle();
    expect(second.fleet.restore.has("east")).toBe(false);
    expect(second.fleet.fleetRows.isRbacComplete("east")).toBe(false);
    held.resolve();
    await second.fleet.restore.untilLoaded("east");
    expect(second.fleet.fleetRows.isRbacComplete("east")).toBe(true);
    await second.stop();
  });

  test("[N-29] the state of a cluster is refused while a part of its rows is loaded, and not told as all of it", async () => {
    const hub = await startWithHistory();
    await hub.stop();
    const held = Promise.withResolvers<void>();
    const second = await startFleet({ disk: hub.disk, name: "second", wrapLog: holdLoads(held.promise) });
    const source = createClusterStateSource({ fleet: second.fleet } as unknown as FleetParts);
    const state = source.load("east", { subject: hubSubject, resources: new Set(["pods"]), signal: never });
    await expect(state).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await describeCluster(second.fleet, "east")).toMatchObject({ isLoading: true, rowCount: 0n });
    held.resolve();
    await second.fleet.restore.untilLoaded("east");
    expect(() => second.fleet.restore.assertLoaded("east")).not.toThrow();
    const rowCount = BigInt(second.fleet.fleetRows.rowCount("east"));
    expect(await describeCluster(second.fleet, "east")).toMatchObject({ isLoading: false, rowCount });
    await second.stop();
  });
});
