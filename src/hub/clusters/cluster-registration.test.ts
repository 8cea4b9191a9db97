// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FlotillaError } from "../../base/error.ts";
import { createSeededRandom } from "../../base/random.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import { remove } from "../../store/store.ts";
import { clusters, joinTokens, rootWorkspace } from "../../store/tables.ts";
import { keyNamed } from "../fleet/testing/model-agent.ts";
import { agentOf, noMetadata, register } from "../fleet/testing/register.ts";
import { startFleet, type TestFleet } from "../fleet/testing/test-fleet.ts";
import { withKey, withoutKeys } from "./cluster-changes.ts";
import { ClusterRegistration, type RegistrationRequest } from "./cluster-registration.ts";
import { setPaused } from "./testing/administer.ts";

const wanted = { usesLeft: 1, namePattern: "prod-*", needsApproval: false, description: "", ttlMs: 60_000 };

describe("join", () => {
  let hub: TestFleet;
  let registration: ClusterRegistration;

  beforeEach(async () => {
    hub = await startFleet();
    registration = hub.fleet.clusterRegistration;
  });

  afterEach(async () => {
    await hub.stop();
    expect(hub.clock.timerCount).toBe(0);
  });

  function wish(joinToken: string, clusterId: string, key = clusterId): RegistrationRequest {
    return { joinToken, clusterId, publicKey: keyNamed(key), clusterUid: `uid-${clusterId}`, metadata: noMetadata };
  }

  async function usesLeft(): Promise<readonly number[]> {
    return (await registration.joinTokens.list()).map((token) => token.usesLeft);
  }

  test("[SE5] a token registers a key once, and the store does not hold its text", async () => {
    const { text } = await registration.joinTokens.create(wanted);
    await registration.join(wish(text, "prod-a"));
    expect(await agentOf(hub.fleet, "prod-a").connect()).toBe("welcome");
    await expect(registration.join(wish(text, "prod-b"))).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    const { rows } = await hub.store.list(joinTokens);
    const secret = text.split("_").slice(2).join("_");
    expect(rows.map(({ value }) => Buffer.from(value.secret_hash).toString("latin1")).join()).not.toContain(secret);
  });

  test("[SE50] [SE43] a cluster that is let go on while its pause is being stored does not stay paused", async () => {
    await register(hub.fleet, "east");
    await Promise.all([setPaused(hub.fleet, "east", true), setPaused(hub.fleet, "east", false)]);
    expect((await hub.fleet.clusters.load("east"))?.pause).toBeUndefined();
  });

  test("a cluster that joins counts as what the hub takes it for, and that is kept", async () => {
    const sourceOf = (id: string) => (id === "prod-b" ? "adopted" : "agent");
    const knowing = new ClusterRegistration({
      ...hub,
      registry: hub.fleet.clusters,
      random: createSeededRandom(7),
      sourceOf,
    });
    const { text } = await knowing.joinTokens.create({ ...wanted, usesLeft: 2 });
    for (const name of ["prod-a", "prod-b"]) await knowing.join(wish(text, name));
    expect((await hub.fleet.clusters.load("prod-a"))?.source).toBe("agent");
    expect((await hub.fleet.clusters.load("prod-b"))?.source).toBe("adopted");
  });

  test("[SE5] joining again with the same key and uid changes nothing and needs no use; with another key the id is taken", async () => {
    const { text } = await registration.joinTokens.create({ ...wanted, usesLeft: 3 });
    const first = await registration.join(wish(text, "prod-a"));
    expect(await registration.join(wish(text, "prod-a"))).toEqual(first);
    expect(await usesLeft()).toEqual([2]);
    await expect(registration.join(wish(text, "prod-a", "thief"))).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    const copied = { ...wish(text, "prod-a"), clusterUid: "uid-of-a-copy" };
    await expect(registration.join(copied)).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    expect(await usesLeft()).toEqual([2]);
  });

  test("[SE5] a token of one use, used by many at once, registers one", async () => {
    const { text } = await registration.joinTokens.create(wanted);
    const names = ["prod-a", "prod-b", "prod-c", "prod-d"];
    const outcomes = await Promise.allSettled(names.map((name) => registration.join(wish(text, name))));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await settle();
    expect(hub.fleet.clusters.list()).toHaveLength(1);
  });

  /** What came of clusters that join in the same moment, by code; time goes on as long as any of them waits. */
  async function joinAtOnce(
    desks: readonly ClusterRegistration[],
    text: string,
    count: number,
  ): Promise<Map<string, number>> {
    const codes = new Map<string, number>();
    const answered = (): number => [...codes.values()].reduce((sum, each) => sum + each, 0);
    for (let at = 0; at < count; at += 1) {
      const note = (code: string): void => void codes.set(code, (codes.get(code) ?? 0) + 1);
      desks[at % desks.length]?.join(wish(text, `prod-${at}`)).then(
        () => note("joined"),
        ({ code }: FlotillaError) => note(code),
      );
    }
    while (answered() < count) await hub.clock.advance(500);
    return codes;
  }

  test.each([
    { uses: 50, refusals: [] },
    { uses: 40, refusals: [["UNAUTHENTICATED", 10]] },
  ] as const)(
    "[SE5] of 50 clusters that join at once with one token of $uses uses exactly $uses are registered, and none meets CONFLICT",
    async ({ uses, refusals }) => {
      const { text } = await registration.joinTokens.create({ ...wanted, usesLeft: uses });
      expect(await joinAtOnce([registration], text, 50)).toEqual(new Map([["joined", uses], ...refusals]));
      expect(await usesLeft()).toEqual([0]);
      await settle();
      expect(hub.fleet.clusters.list()).toHaveLength(uses);
    },
  );

  test("[SE5] two hubs on one store spend the uses of a token one by one", async () => {
    const other = new ClusterRegistration({ ...hub, registry: hub.fleet.clusters, random: createSeededRandom(7) });
    const { text } = await registration.joinTokens.create({ ...wanted, usesLeft: 30 });
    expect(await joinAtOnce([registration, other], text, 40)).toEqual(
      new Map([
        ["joined", 30],
        ["UNAUTHENTICATED", 10],
      ]),
    );
    expect(await usesLeft()).toEqual([0]);
  });

  test("[SE5] expiry, pattern and revocation are refused before anything is spent", async () => {
    const { text, record } = await registration.joinTokens.create(wanted);
    await expect(registration.join(wish(text, "dev-a"))).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await expect(registration.join(wish(text, "Prod_A"))).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await hub.clock.advance(60_000);
    await expect(registration.join(wish(text, "prod-a"))).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    expect(await usesLeft()).toEqual([1]);
    expect(await registration.joinTokens.revoke(record.id)).toBe(true);
    expect(await registration.joinTokens.revoke(record.id)).toBe(false);
    await expect(registration.join(wish(text, "prod-a"))).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(registration.joinTokens.create({ ...wanted, namePattern: "Prod.*" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  test("[SE5] a cluster that needs approval is turned away until an administrator approves it", async () => {
    const { text } = await registration.joinTokens.create({ ...wanted, needsApproval: true });
    expect((await registration.join(wish(text, "prod-a"))).isApproved).toBe(false);
    const agent = agentOf(hub.fleet, "prod-a");
    expect(await agent.connect()).toBe("rejected");
    expect((await agent.next("rejected")).detail).toContain("approval");
    await hub.fleet.clusters.update("prod-a", (record) => ({ ...record, isApproved: true }));
    expect(await agent.connect()).toBe("welcome");
  });

  test("[SE8] a rotated key ends when the second has been used, and cuts a session of the first", async () => {
    await register(hub.fleet, "prod-a");
    const old = agentOf(hub.fleet, "prod-a", { shard: "blue" });
    await old.join();
    const { text } = await registration.joinTokens.createRotation("prod-a");
    await expect(registration.join(wish(text, "prod-b"))).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    await registration.join(wish(text, "prod-a", "second"));
    expect(await agentOf(hub.fleet, "prod-a", { agentId: "with-first" }).connect()).toBe("welcome");
    const rotated = agentOf(hub.fleet, "prod-a", { agentId: "with-first", publicKey: keyNamed("second") });
    expect(await rotated.connect()).toBe("welcome");
    await settle();
    expect(old.end.isClosed).toBe(true);
    await hub.clock.advance(2_000);
    expect(await agentOf(hub.fleet, "prod-a", { agentId: "with-first" }).connect()).toBe("rejected");
  });

  test("[SE61] a rotation token is of no use once its cluster was removed, also for another cluster of the same name", async () => {
    await register(hub.fleet, "prod-a");
    const { text } = await registration.joinTokens.createRotation("prod-a");
    const kept = await registration.joinTokens.create(wanted);
    expect(await hub.fleet.removeCluster("prod-a")).toBe(true);
    expect((await registration.joinTokens.list()).map(({ id }) => id)).toEqual([kept.record.id]);
    await expect(registration.join(wish(text, "prod-a"))).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await registration.join(wish(kept.text, "prod-a"));
    await expect(registration.join(wish(text, "prod-a", "thief"))).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    expect(await hub.fleet.removeCluster("prod-b")).toBe(false);
  });

  test("[SE61] a rotation token whose cluster is not registered registers nothing, however that came to be", async () => {
    await register(hub.fleet, "prod-a");
    const { text } = await registration.joinTokens.createRotation("prod-a");
    await hub.store.commit([remove(clusters, [rootWorkspace, "prod-a"])]); // as an older hub removed it
    await expect(registration.join(wish(text, "prod-a"))).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
      message: "the token replaces the key of cluster prod-a, which is not registered any more; ask for a join token",
    });
    expect(await hub.fleet.clusters.load("prod-a")).toBeUndefined();
  });

  test("[SE8] a revoked key is of no use to anybody, also while a second one waits", async () => {
    await register(hub.fleet, "prod-a");
    const { text } = await registration.joinTokens.createRotation("prod-a");
    await hub.fleet.clusters.update("prod-a", (record) => withKey(record, keyNamed("second")));
    await hub.fleet.clusters.update("prod-a", withoutKeys);
    expect(await agentOf(hub.fleet, "prod-a").connect()).toBe("rejected");
    expect(await agentOf(hub.fleet, "prod-a", { publicKey: keyNamed("second") }).connect()).toBe("rejected");
    await registration.join(wish(text, "prod-a", "third"));
    expect(await agentOf(hub.fleet, "prod-a", { publicKey: keyNamed("third") }).connect()).toBe("welcome");
  });

  test("a removed cluster is cut, forgotten with its rows and history, and may come again", async () => {
    await register(hub.fleet, "prod-a");
    const agent = agentOf(hub.fleet, "prod-a");
    await agent.join();
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    await agent.next("ack");
    expect(await hub.fleet.removeCluster("prod-a")).toBe(true);
    expect(await hub.fleet.removeCluster("prod-a")).toBe(false);
    await settle();
    expect(agent.end.isClosed).toBe(true);
    expect(hub.fleet.fleetRows.clusters()).toEqual([]);
    expect(await hub.fleetLog.resources()).toEqual([]);
    await register(hub.fleet, "prod-a");
    const again = agentOf(hub.fleet, "prod-a", { agentId: "again" });
    expect(await again.join()).toMatchObject({ durableIncarnation: "", durableSeq: 0n });
  });
});
