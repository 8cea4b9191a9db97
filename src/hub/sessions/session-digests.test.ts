// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { DigestLevel, KindState, RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";
import { bucketCode, sessionBucketCount } from "../../model/rows/bucket.ts";
import { bucketOf } from "../../model/rows/testing/key-digests.ts";
import type { ModelAgent } from "../fleet/testing/model-agent.ts";
import { agentOf, namesOf, register, rowsOf } from "../fleet/testing/register.ts";
import { startFleet, type TestFleet } from "../fleet/testing/test-fleet.ts";
import { uidOfNumber } from "../fleet/testing/test-rows.ts";

const podCount = 40;

function pods(agent: ModelAgent): ReturnType<ModelAgent["row"]>[] {
  return Array.from({ length: podCount }, (_, at) => agent.row("pods", { name: `pod-${at}`, uid: uidOfNumber(at) }));
}

describe("digests", () => {
  let hub: TestFleet;
  let agent: ModelAgent;

  beforeEach(async () => {
    hub = await startFleet();
    await register(hub.fleet, "east");
    agent = agentOf(hub.fleet, "east");
    await agent.join();
    await agent.flush([{ resource: "pods", rows: pods(agent) }]);
    await agent.next("ack");
  });

  afterEach(async () => {
    await hub.stop();
    expect(hub.clock.timerCount).toBe(0);
  });

  test("[SE23] [SE27] an equal root is done with: nothing is asked for", async () => {
    agent.statuses(["pods"]);
    agent.digestRoot(["pods"]);
    await settle();
    expect(hub.observer.comparisons).toMatchObject([{ equal: ["pods"], differing: [] }]);
    expect([agent.count("needDigests"), agent.count("needBuckets")]).toEqual([0, 0]);
  });

  test("[SE25] [L5] a new incarnation whose kinds are equal sends digests and no row", async () => {
    agent.goodbye();
    await settle();
    const next = agentOf(hub.fleet, "east", { agentId: "next" });
    expect(await next.join()).toMatchObject({ durableIncarnation: agent.incarnation, durableSeq: 1n });
    next.holdAll("pods", pods(next));
    next.statuses(["pods"]);
    next.digestKinds(["pods"]);
    await settle();
    expect(hub.observer.comparisons).toMatchObject([{ equal: ["pods"] }]);
    expect([next.count("needDigests"), next.count("needBuckets")]).toEqual([0, 0]);
  });

  test("[SE23] [SE24] root to kinds to buckets: only the buckets that differ travel, and a missed delete is mended", async () => {
    agent.goodbye();
    await settle();
    const next = agentOf(hub.fleet, "east", { agentId: "next" });
    await next.join();
    const changed = next.row("pods", { name: "pod-3", uid: uidOfNumber(3), phase: "Failed" });
    const held = pods(next).with(3, changed).slice(0, -1);
    next.holdAll("pods", held);
    next.statuses(["pods"]);
    next.digestRoot(["pods"]);
    expect((await next.next("needDigests")).level).toBe(DigestLevel.KINDS);
    next.digestKinds(["pods"]);
    expect(await next.next("needDigests")).toMatchObject({ level: DigestLevel.BUCKETS, resources: ["pods"] });
    next.digestBuckets(["pods"]);
    const need = await next.next("needBuckets");
    const expected = [changed, { namespace: "default", name: `pod-${podCount - 1}` }]
      .map((key) => bucketCode(sessionBucketCount, bucketOf(key, sessionBucketCount)))
      .sort((a, b) => a - b);
    expect(need).toMatchObject({ resource: "pods", all: false, buckets: expected });
    await next.mend(need);
    await next.next("ack");
    next.digestRoot(["pods"]);
    await settle();
    expect(hub.observer.comparisons.at(-1)).toMatchObject({ equal: ["pods"], differing: [] });
    expect(new Set(rowsOf(hub.fleet, "east", "pods").map(({ rowHash }) => rowHash))).toEqual(
      new Set(held.map(({ rowHash }) => rowHash)),
    );
  });

  test("[SE25] a kind of which the hub holds no row is asked for as a whole", async () => {
    agent.holdAll("services", [agent.row("services", { name: "web" })]);
    agent.statuses(["services"]);
    agent.digestKinds(["services"]);
    const need = await agent.next("needBuckets");
    expect(need).toMatchObject({ resource: "services", all: true, buckets: [] });
    await agent.mend(need);
    await agent.next("ack");
    expect(namesOf(hub.fleet, "east", "services")).toEqual(["web"]);
  });

  test("[L4] digests of a kind whose list is not complete never lead to rows being replaced", async () => {
    agent.holdAll("pods", []);
    agent.statuses(["pods"], false, KindState.LISTING);
    agent.digestKinds(["pods"]);
    agent.digestBuckets(["pods"]);
    await settle();
    expect([agent.count("needDigests"), agent.count("needBuckets")]).toEqual([0, 0]);
    expect(namesOf(hub.fleet, "east", "pods")).toHaveLength(podCount);
  });

  test("[SE28] a kind that is not served any more is emptied by its complete, empty list", async () => {
    agent.holdAll("pods", []);
    agent.statuses(["pods"], true, KindState.NOT_INSTALLED);
    agent.digestKinds(["pods"]);
    await agent.next("needDigests");
    agent.digestBuckets(["pods"]);
    await agent.mend(await agent.next("needBuckets"));
    await agent.next("ack");
    expect(namesOf(hub.fleet, "east", "pods")).toEqual([]);
  });

  test("[SE27] digests that stay unequal after three answers end the session as DIVERGED, counted", async () => {
    const held = pods(agent).slice(1);
    agent.statuses(["pods"]);
    for (let round = 0; round < 3; round += 1) {
      agent.holdAll("pods", held);
      agent.digestBuckets(["pods"]);
      const need = await agent.next("needBuckets");
      agent.holdAll("pods", pods(agent));
      await agent.mend(need);
    }
    agent.holdAll("pods", held);
    agent.digestBuckets(["pods"]);
    expect(await agent.next("rejected")).toMatchObject({ reason: RejectReason.DIVERGED, retryAfterMs: 1_000 });
    await settle();
    expect(hub.observer.endings).toMatchObject([{ ending: { kind: "lost", reason: "diverged" } }]);
    expect(hub.metrics.get("flotilla_session_refusals_total", "east", "diverged")).toBe(1);
  });

  test("[SE27] while an answer is on its way other flushes and their digests are no round, and nothing is asked for twice", async () => {
    agent.holdAll("pods", pods(agent).slice(1));
    agent.statuses(["pods"]);
    agent.digestBuckets(["pods"]);
    const need = await agent.next("needBuckets");
    for (let time = 0; time < 5; time += 1) {
      await agent.flush([{ resource: "pods", rows: [] }]);
      agent.digestKinds(["pods"]);
      agent.digestBuckets(["pods"]);
    }
    await settle();
    expect([agent.count("needBuckets"), agent.count("needDigests"), agent.count("rejected")]).toEqual([0, 0, 0]);
    await agent.mend(need);
    agent.digestRoot(["pods"]);
    await settle();
    expect(hub.observer.comparisons.at(-1)).toMatchObject({ equal: ["pods"], differing: [] });
  });

  test("[SE27] a kind that is listed anew is asked for anew: what was asked before does not come", async () => {
    agent.holdAll("pods", pods(agent).slice(1));
    for (let list = 0; list < 5; list += 1) {
      agent.statuses(["pods"]);
      agent.digestBuckets(["pods"]);
      await agent.next("needBuckets");
      agent.statuses(["pods"], false, KindState.LISTING);
    }
    expect(agent.count("rejected")).toBe(0);
  });

  test("[SE27] digests made before what was asked for could be sent are no round, and nothing is asked for twice", async () => {
    agent.holdAll("services", [agent.row("services", { name: "web" })]);
    agent.statuses(["services"]);
    for (let time = 0; time < 5; time += 1) agent.digestKinds(["services"]);
    const need = await agent.next("needBuckets");
    await settle();
    expect([agent.count("needBuckets"), agent.count("rejected")]).toEqual([0, 0]);
    await agent.mend(need);
    await agent.next("ack");
    expect(namesOf(hub.fleet, "east", "services")).toEqual(["web"]);
  });

  test("[SE23] digests of another seq than the newest flush are refused", async () => {
    agent.seq = 9;
    agent.digestRoot(["pods"]);
    expect((await agent.next("rejected")).detail).toContain("digests of flush 9 came after flush 1");
  });
});
