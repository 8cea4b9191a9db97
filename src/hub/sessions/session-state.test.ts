// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import { rbacResources } from "../../model/rbac-resources.ts";
import { sessionBucketCount } from "../../model/rows/bucket.ts";
import { bucketOf } from "../../model/rows/testing/key-digests.ts";
import { acceptReplacement } from "../clusters/testing/administer.ts";
import { agentOf, namesOf, register, rowsOf } from "../fleet/testing/register.ts";
import { plainCodec, startFleet, type TestFleet } from "../fleet/testing/test-fleet.ts";
import { encodeRows, uidOfNumber } from "../fleet/testing/test-rows.ts";
import { rowsIn } from "../index/testing/in-thread-index.ts";

const refusals = "flotilla_session_refusals_total";

describe("observed state", () => {
  let hub: TestFleet;

  beforeEach(async () => {
    hub = await startFleet();
    await register(hub.fleet, "east", "west", "north");
  });

  afterEach(async () => {
    await hub.stop();
    expect(hub.clock.timerCount).toBe(0);
  });

  test("[N-1] the hub holds the rows of three clusters, each under its own id", async () => {
    for (const cluster of ["east", "west", "north"]) {
      const agent = agentOf(hub.fleet, cluster);
      await agent.join();
      await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: `pod-of-${cluster}` })] }]);
      await agent.next("ack");
    }
    expect(hub.fleet.fleetRows.clusters().map((cluster) => [cluster, namesOf(hub.fleet, cluster, "pods")])).toEqual([
      ["east", ["pod-of-east"]],
      ["west", ["pod-of-west"]],
      ["north", ["pod-of-north"]],
    ]);
  });

  test("[N-23] what the hub records of a flush says cluster, agent, sequence and how old its content was", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    await agent.next("ack");
    expect(hub.observer.flushes).toEqual([{ cluster: "east", seq: 1, collectedMsAgo: 7 }]);
    expect(await hub.fleetLog.progress("east", "")).toMatchObject({ incarnation: "inc-agent-of-east", seq: 1 });
  });

  test("[SE30] times in messages are durations: the hub passes them on as they came, whatever its clock says", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    await hub.clock.advance(4_000);
    const status = { resource: "pods", sinceMsAgo: 123n, currentMsAgo: 45n };
    agent.send({ case: "kindStatuses", value: { statuses: [status] } });
    agent.send({ case: "heartbeat", value: { number: 1n, apiServerSinceMsAgo: 678n } });
    await agent.next("heartbeatAnswer");
    expect(hub.observer.statuses).toMatchObject([{ resource: "pods", sinceMsAgo: 123, currentMsAgo: 45 }]);
    expect(hub.observer.heartbeats).toMatchObject([{ apiServerSinceMsAgo: 678 }]);
  });

  test("[N-25] [SE4] a gap in the sequence is refused whole: rows, log and feed stay, and one counter rises", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    await agent.next("ack");
    const { cursor } = hub.fleet.feed;
    await agent.sendFlush(3, [{ resource: "pods", rows: [agent.row("pods", { name: "b" })] }]);
    expect((await agent.next("rejected")).detail).toContain("flush 3 came, expected 2");
    expect(namesOf(hub.fleet, "east", "pods")).toEqual(["a"]);
    expect(hub.fleet.feed.cursor).toEqual(cursor);
    expect(await hub.fleetLog.progress("east", "")).toMatchObject({ seq: 1 });
    expect(hub.metrics.get(refusals, "east", "outOfSequence")).toBe(1);
    const welcome = await agent.join();
    expect(welcome).toMatchObject({ durableIncarnation: agent.incarnation, durableSeq: 1n });
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "b" })] }]);
    expect((await agent.next("ack")).seq).toBe(2n);
  });

  test("[N-25] a flush with one bad part changes nothing, not even by its good parts", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    await agent.flush([
      { resource: "pods", rows: [agent.row("pods", { name: "a" })] },
      { resource: "services", bytes: new Uint8Array([0x7a, 1, 2, 3]) },
    ]);
    await agent.next("rejected");
    expect(hub.fleet.fleetRows.kinds("east")).toEqual([]);
    expect(await hub.fleetLog.progress("east", "")).toMatchObject({ seq: 0 });
    expect(hub.metrics.get(refusals, "east", "malformed")).toBe(1);
  });

  test("a batch of another resource than its part says is refused", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const batch = await plainCodec.compress(encodeRows("pods", [agent.row("pods", { name: "a" })]));
    await agent.flush([{ resource: "services", bytes: batch }]);
    expect((await agent.next("rejected")).detail).toContain("a batch of pods came as one of services");
  });

  test("[SE13] what is durable already is acknowledged again and changes nothing", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    await agent.next("ack");
    const { cursor } = hub.fleet.feed;
    await agent.sendFlush(1, [{ resource: "pods", rows: [agent.row("pods", { name: "never" })] }]);
    expect((await agent.next("ack")).seq).toBe(1n);
    expect(namesOf(hub.fleet, "east", "pods")).toEqual(["a"]);
    expect(hub.fleet.feed.cursor).toEqual(cursor);
  });

  test("[N-28] an identical state is no change and adds nothing to the log; one edit is exactly one change", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const rows = Array.from({ length: 50 }, (_, at) => agent.row("pods", { name: `pod-${at}`, uid: uidOfNumber(at) }));
    await agent.flush([{ resource: "pods", rows }]);
    await agent.next("ack");
    const { cursor } = hub.fleet.feed;
    const before = await hub.fleetLog.load({ cluster: "east", resource: "pods", bytesLimit: 1e9 });
    await agent.flush([{ resource: "pods", rows }]);
    expect((await agent.next("ack")).seq).toBe(2n);
    expect(hub.fleet.feed.cursor).toEqual(cursor);
    const after = await hub.fleetLog.load({ cluster: "east", resource: "pods", bytesLimit: 1e9 });
    expect(after.segments).toHaveLength(before.segments.length);
    const edited = agent.row("pods", { name: "pod-7", uid: uidOfNumber(7), phase: "Failed" });
    await agent.flush([{ resource: "pods", rows: rows.with(7, edited) }]);
    await agent.next("ack");
    const stop = new AbortController();
    const feed = hub.fleet.feed.read(cursor, stop.signal);
    expect((await feed.next()).value).toMatchObject({
      cluster: "east",
      changes: [{ kind: "changed", resource: "pods", name: "pod-7" }],
    });
    expect(hub.metrics.get("flotilla_row_changes_total", "east", "pods", "changed")).toBe(1);
  });

  test("[N-27] [L2] [lesson uds-R4] a reader sees all of a flush of 1,000 rows and several kinds, or none of it", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const rows = Array.from({ length: 1_000 }, (_, at) => agent.row("pods", { name: `pod-${at}` }));
    await agent.flush([
      { resource: "pods", rows },
      { resource: "services", rows: [agent.row("services", { name: "web" })] },
    ]);
    const seen = new Set<string>();
    const look = (): void => {
      const counts = ["pods", "services"].map((resource) => rowsIn(hub.fleet.index, "east", resource).length);
      seen.add(counts.join(" "));
    };
    while (agent.count("ack") === 0) {
      look();
      await Promise.resolve();
      look();
      await settle();
    }
    look();
    expect([...seen].filter((counts) => counts !== "0 0")).toEqual(["1000 1"]);
  });

  test("[N-49] [lesson navigator-7.2.2] rows stay as last known when the session ends, and while a new agent sends its first state", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const rows = Array.from({ length: 20 }, (_, at) => agent.row("pods", { name: `pod-${at}` }));
    await agent.flush([{ resource: "pods", rows }]);
    await agent.next("ack");
    agent.end.close();
    await hub.clock.advance(120_000);
    expect(namesOf(hub.fleet, "east", "pods")).toHaveLength(20);
    const next = agentOf(hub.fleet, "east", { agentId: "next" });
    await next.join();
    const counts: number[] = [];
    for (const row of rows) {
      await next.flush([{ resource: "pods", rows: [row] }]);
      await next.next("ack");
      counts.push(namesOf(hub.fleet, "east", "pods").length);
    }
    expect(new Set(counts)).toEqual(new Set([20]));
  });

  test("[L14] [lesson navigator-7.2.1] a message of one cluster touches no other cluster, and a bad one harms only itself", async () => {
    const [east, west] = [agentOf(hub.fleet, "east"), agentOf(hub.fleet, "west")];
    await east.join();
    await west.join();
    await west.flush([{ resource: "pods", rows: [west.row("pods", { name: "w" })] }]);
    await west.next("ack");
    const [before] = rowsOf(hub.fleet, "west", "pods");
    const snapshot = hub.fleet.fleetRows.kinds("west");
    await east.flush([{ resource: "pods", bytes: new Uint8Array([1]) }]);
    await east.next("rejected");
    await west.flush([{ resource: "services", rows: [west.row("services", { name: "s" })] }]);
    expect((await west.next("ack")).seq).toBe(2n);
    expect(hub.fleet.fleetRows.kinds("west").slice(0, 1)).toEqual(snapshot);
    expect(rowsOf(hub.fleet, "west", "pods")).toEqual([before]);
  });

  test("[N-58] rows and bytes are counted by cluster and kind", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const resource = "networking.istio.io/virtualservices";
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    await agent.next("ack");
    const podBytes = hub.metrics.get("flotilla_ingest_bytes_total", "east", "pods");
    const rows = Array.from({ length: 1_000 }, (_, at) => agent.row(resource, { name: `vs-${at}` }));
    await agent.flush([{ resource, rows }]);
    await agent.next("ack");
    expect(hub.metrics.get("flotilla_ingest_rows_total", "east", resource)).toBe(1_000);
    expect(hub.metrics.get("flotilla_ingest_bytes_total", "east", resource)).toBeGreaterThan(8_000);
    expect(hub.metrics.get("flotilla_ingest_rows_total", "east", "pods")).toBe(1);
    expect(hub.metrics.get("flotilla_ingest_bytes_total", "east", "pods")).toBe(podBytes);
  });

  test("[L4] [SE26] a bucket is replaced only by a kind whose list is complete; otherwise nothing is removed", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const row = agent.row("pods", { name: "a" });
    const bucket = bucketOf(row, sessionBucketCount);
    await agent.flush([{ resource: "pods", rows: [row] }]);
    await agent.next("ack");
    agent.statuses(["pods"], false, KindState.LISTING);
    await agent.flush([{ resource: "pods", bucket }]);
    expect((await agent.next("rejected")).detail).toContain("before its list was complete");
    expect(namesOf(hub.fleet, "east", "pods")).toEqual(["a"]);
    expect(hub.metrics.get(refusals, "east", "incompleteReplace")).toBe(1);
    await agent.join();
    agent.statuses(["pods"]);
    await agent.flush([{ resource: "pods", bucket }]);
    expect((await agent.next("ack")).seq).toBe(2n);
    expect(namesOf(hub.fleet, "east", "pods")).toEqual([]);
  });

  test("[L2] rows of a cluster are marked as not to be shown until its RBAC rows are proven equal, and after a restart at once", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const parts = rbacResources.map((resource) => ({ resource, rows: [agent.row(resource, { name: "admin" })] }));
    await agent.flush(parts);
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    agent.statuses([...rbacResources, "pods"]);
    agent.digestKinds(rbacResources.slice(1));
    await settle();
    expect(hub.fleet.fleetRows.isRbacComplete("east")).toBe(false);
    agent.digestKinds(rbacResources.slice(0, 1));
    await settle();
    expect(hub.fleet.fleetRows.isRbacComplete("east")).toBe(true);
    const second = await startFleet({ disk: hub.disk, name: "second" });
    expect(second.fleet.fleetRows.isRbacComplete("east")).toBe(true);
    expect(second.fleet.fleetRows.isRbacComplete("west")).toBe(false);
    await acceptReplacement(second.fleet, "east", "uid-of-another");
    await settle();
    expect(second.fleet.fleetRows.isRbacComplete("east")).toBe(false);
    await second.stop();
  });

  test("[SE48] [SE49] [L2] neither grants that wait at a paused agent nor those of a broken watch show a cluster; once they are followed and sent, its next digests do", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    agent.statuses(rbacResources);
    await agent.next("needDigests");
    agent.digestKinds(rbacResources, true);
    await settle();
    expect(hub.fleet.fleetRows.isRbacComplete("east")).toBe(false);
    await agent.flush(rbacResources.map((resource) => ({ resource, rows: [agent.row(resource, { name: "admin" })] })));
    agent.statuses(rbacResources.slice(1), true, KindState.FAILED);
    agent.digestKinds(rbacResources);
    await settle();
    expect(hub.fleet.fleetRows.isRbacComplete("east")).toBe(false);
    expect(agent.count("needDigests")).toBe(0);
    agent.statuses(rbacResources.slice(1));
    await agent.next("needDigests");
    agent.digestKinds(rbacResources);
    await settle();
    expect(hub.fleet.fleetRows.isRbacComplete("east")).toBe(true);
    agent.statuses(rbacResources);
    await settle();
    expect(agent.count("needDigests")).toBe(0);
  });
});
