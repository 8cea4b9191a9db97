// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { joinCodes, joinTokens } from "../../store/tables.ts";
import { keyNamed } from "../fleet/testing/model-agent.ts";
import { agentOf, noMetadata } from "../fleet/testing/register.ts";
import { startFleet, type TestFleet } from "../fleet/testing/test-fleet.ts";
import { codeLifeMs, codeTokenLifeMs, parseCode } from "./join-code.ts";
import { JoinCodes } from "./join-codes.ts";

const wanted = { clusterId: "east", region: "eu", environment: "", objectReads: true, needsApproval: false };

describe("[IN12] the code of a join URL", () => {
  let hub: TestFleet;
  let codes: JoinCodes;

  beforeEach(async () => {
    hub = await startFleet();
    const { clusters: registry, claims, clusterRegistration } = hub.fleet;
    codes = new JoinCodes({ ...hub, registry, claims, clusterRegistration, random: createSeededRandom("codes") });
  });

  afterEach(async () => {
    await hub.stop();
    expect(hub.clock.timerCount).toBe(0);
  });

  function join(token: string, clusterId = "east"): Promise<unknown> {
    return hub.fleet.clusterRegistration.join({
      joinToken: token,
      clusterId,
      publicKey: keyNamed(clusterId),
      clusterUid: `uid-${clusterId}`,
      metadata: noMetadata,
    });
  }

  test("gives the same join token at each fetch, until the first session of the cluster", async () => {
    const { text } = await codes.create(wanted);
    const first = await codes.exchange(text, "10.0.0.7");
    const second = await codes.exchange(text, "10.0.0.8");
    expect(first?.record).toMatchObject({ cluster: "east", region: "eu", objectReads: true, fetchCount: 1 });
    expect(second?.record).toMatchObject({ fetchCount: 2, fetched: { from: "10.0.0.8" } });
    expect(second?.token).toBe(first?.token);
    await join(first?.token ?? "");
    expect((await codes.exchange(text, "10.0.0.7"))?.token).toBe(first?.token);
    expect(await agentOf(hub.fleet, "east").connect()).toBe("welcome");
    expect(await codes.exchange(text, "10.0.0.7")).toBeUndefined();
  });

  test("joins one cluster, of that id", async () => {
    const { text } = await codes.create(wanted);
    const { token = "" } = (await codes.exchange(text, "10.0.0.7")) ?? {};
    await expect(join(token, "west")).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    await join(token);
    await hub.fleet.removeCluster("east");
    await expect(join(token)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    expect(await codes.exchange(text, "10.0.0.7")).toBeUndefined();
  });

  test("ends after ten minutes; its join token lasts for an hour, for an image that is pulled slowly", async () => {
    const { text } = await codes.create(wanted);
    const { token = "" } = (await codes.exchange(text, "10.0.0.7")) ?? {};
    await hub.clock.advance(codeLifeMs);
    expect(await codes.exchange(text, "10.0.0.7")).toBeUndefined();
    await join(token);
    const late = await codes.create({ ...wanted, clusterId: "late" });
    const { token: lateToken = "" } = (await codes.exchange(late.text, "10.0.0.7")) ?? {};
    await hub.clock.advance(codeTokenLifeMs);
    await expect(join(lateToken, "late")).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("is nowhere in the store, and neither is its token; one does not give the other away", async () => {
    const { text } = await codes.create(wanted);
    const { token = "" } = (await codes.exchange(text, "10.0.0.7")) ?? {};
    const { id = "", secret = "" } = parseCode(text) ?? {};
    const tokenSecret = token.split("_").slice(2).join("_");
    expect([secret.length, tokenSecret.length]).toEqual([22, 43]);
    const stored = [...(await hub.store.list(joinCodes)).rows, ...(await hub.store.list(joinTokens)).rows];
    const bytes = stored.map(
      ({ value }) => `${JSON.stringify(value)}${Buffer.from(value.secret_hash).toString("latin1")}`,
    );
    expect(bytes.join()).not.toContain(secret);
    expect(bytes.join()).not.toContain(tokenSecret);
    expect(await codes.exchange(`flt_join_${id.slice(4)}_${tokenSecret.slice(0, 22)}`, "10.0.0.7")).toBeUndefined();
    await expect(join(`flt_${id.slice(4)}_${secret}${secret}`.slice(0, 68))).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
  });

  test("ends with its join token, and is refused for what is no code", async () => {
    const { text, record } = await codes.create(wanted);
    expect(await hub.fleet.clusterRegistration.joinTokens.revoke(record.id)).toBe(true);
    for (const other of [text, "", "flt_join_x", `${text}x`]) expect(await codes.exchange(other, "a")).toBeUndefined();
  });

  test("is refused for an id that is registered or is none, and old ones are dropped", async () => {
    const { text } = await codes.create(wanted);
    await join((await codes.exchange(text, "a"))?.token ?? "");
    await expect(codes.create(wanted)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      message:
        "cluster east is already registered; choose another id, or remove it with `flotilla cluster remove east`",
    });
    await expect(codes.create({ ...wanted, clusterId: "East" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await hub.clock.advance(codeTokenLifeMs);
    await codes.create({ ...wanted, clusterId: "west" });
    expect((await hub.store.list(joinCodes)).rows.map(({ value }) => value.cluster)).toEqual(["west"]);
  });
});
