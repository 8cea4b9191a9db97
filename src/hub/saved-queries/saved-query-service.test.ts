// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FlotillaError, hasCode } from "../../base/error.ts";
import { objects } from "../../store/tables.ts";
import { QueryServiceRig } from "./testing/query-service-rig.ts";

let rig: QueryServiceRig;

beforeEach(async () => {
  rig = await QueryServiceRig.open();
});

afterEach(() => rig.store.close());

/** The error of a call as its caller sees it. */
async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (reason) {
    if (reason instanceof FlotillaError) return `${reason.code} ${reason.message}`;
    throw reason;
  }
  throw new Error("the call succeeded");
}

const query = "status=unhealthy";
const namesOf = async (user: string): Promise<readonly string[]> =>
  (await rig.as(user).listSavedQueries({})).savedQueries.map(({ name, isPrivate }) => `${name}${isPrivate ? "*" : ""}`);

describe("saved queries", () => {
  test("[SQ1] [SQ3] are kept with their canonical text and their view, and are the same for all viewers", async () => {
    const content = { query: ' status:unhealthy  and  ns:"a" ', description: "d", columns: ["name", "label.app"] };
    const view = { sort: ["-age"], facets: ["kind"], groupBy: ["cluster"] };
    await rig.as("ann").createSavedQuery({ name: "broken", content: { ...content, ...view } });
    const { savedQuery } = await rig.as("bob").getSavedQuery({ name: "broken" });
    expect(savedQuery).toMatchObject({ owner: "ann", isPrivate: false });
    expect(savedQuery?.content).toMatchObject({ ...content, ...view, query: "status=unhealthy ns=a" });
  });

  test("[SQ2] [L17] a private one is named to no other user: not by lists, reads, updates, deletions, creations or audit", async () => {
    const ann = rig.as("ann");
    await ann.createSavedQuery({ name: "mine", isPrivate: true, content: { query } });
    const bob = rig.as("bob");
    const other = { name: "other", isPrivate: true, revision: 1n, owner: "ann", content: { query } };
    const own = { ...other, name: "mine" };
    for (const call of ["getSavedQuery", "updateSavedQuery", "deleteSavedQuery"] as const) {
      const [present, absent] = [await refusal(bob[call](own)), await refusal(bob[call](other))];
      expect(present).toMatch(/^NOT_FOUND/);
      expect(present.replace("mine", "other")).toBe(absent);
    }
    expect(await namesOf("bob")).toEqual([]);
    await bob.createSavedQuery({ name: "mine", isPrivate: true, content: { query: "kind:Pod" } });
    await bob.createSavedQuery({ name: "mine", content: { query: "kind:Pod" } });
    expect([await namesOf("ann"), await namesOf("bob")]).toEqual([
      ["mine", "mine*"],
      ["mine", "mine*"],
    ]);
    expect((await ann.getSavedQuery({ name: "mine", isPrivate: true })).savedQuery?.content?.query).toBe(query);
    expect(JSON.stringify(rig.audit.entries.filter(({ by }) => by === "ann"))).not.toMatch(/mine|unhealthy/);
  });

  test("[SQ2] a user with the right to manage deletes any, and others only their own", async () => {
    await rig.as("ann").createSavedQuery({ name: "shared", content: { query } });
    await rig.as("ann").createSavedQuery({ name: "mine", isPrivate: true, content: { query } });
    expect(await refusal(rig.as("bob").deleteSavedQuery({ name: "shared" }))).toBe(
      'PERMISSION_DENIED the saved query "shared" belongs to "ann"',
    );
    await rig.as("root").deleteSavedQuery({ name: "shared" });
    await rig.as("root").deleteSavedQuery({ name: "mine", isPrivate: true, owner: "ann" });
    expect(await namesOf("ann")).toEqual([]);
    expect(rig.audit.entries.map(({ action, target, by }) => `${by} ${action} ${target}`)).toEqual([
      "ann savedQuery.create shared",
      "ann savedQuery.create (private)",
      "root savedQuery.delete shared",
      "root savedQuery.delete (private)",
    ]);
  });

  test("[SQ4] an update requires the revision that was read, and is the owner's alone", async () => {
    const ann = rig.as("ann");
    const { savedQuery } = await ann.createSavedQuery({ name: "broken", content: { query } });
    const revision = savedQuery?.revision ?? 0n;
    const update = (of: typeof ann, text: string) =>
      of.updateSavedQuery({ name: "broken", content: { query: text }, revision });
    expect(await refusal(update(rig.as("root"), "kind:Pod"))).toMatch(/^PERMISSION_DENIED/);
    await rig.clock.advance(5_000);
    const updated = await update(ann, "kind:Pod");
    expect(updated.savedQuery).toMatchObject({ createdAt: savedQuery?.createdAt, content: { query: "kind=Pod" } });
    expect(await refusal(update(ann, "kind:Node"))).toMatch(/^CONFLICT/);
    expect(await refusal(ann.deleteSavedQuery({ name: "broken", revision }))).toMatch(/^CONFLICT/);
    expect(rig.audit.entries.at(-1)).toMatchObject({ action: "savedQuery.update", after: { query: "kind=Pod" } });
  });

  test.each([
    [{ name: "Up" }, 'INVALID_ARGUMENT "Up" is not a name of a query'],
    [{ content: { query: "status=(" } }, "INVALID_ARGUMENT query, column 8"],
    [{ content: { query: "kind:nope" } }, "INVALID_ARGUMENT query, column 6: no cluster has a kind"],
    [{ content: { query: "x".repeat(4_097) } }, "INVALID_ARGUMENT query, column 4097: the query is longer"],
    [{ content: { query, description: "é".repeat(513) } }, "INVALID_ARGUMENT the description is longer than 1024"],
    [{ content: { query, columns: ["statsu"] } }, 'INVALID_ARGUMENT columns: there is no field "statsu"'],
    [
      { content: { query, columns: Array.from({ length: 33 }, () => "name") } },
      "INVALID_ARGUMENT columns: 33 are more",
    ],
    [{ content: { query, sort: ["x".repeat(513)] } }, "INVALID_ARGUMENT sort: a field is longer"],
  ])("[SQ3] [Q-13] %j is refused with what is wrong, and nothing is stored", async (wrong, sentence) => {
    const asked = rig.as("ann").createSavedQuery({ name: "broken", content: { query }, ...wrong });
    expect(await refusal(asked)).toContain(sentence);
    expect(await namesOf("ann")).toEqual([]);
    expect(rig.audit.entries).toEqual([]);
  });

  test("[SQ3] a query that reads too much now is saved all the same: its names were checked", async () => {
    rig.fleet.fault = new FlotillaError("DEADLINE_EXCEEDED", "too long");
    await rig.as("ann").createSavedQuery({ name: "slow", content: { query } });
    rig.fleet.fault = new FlotillaError("UNAVAILABLE", "the index does not answer");
    expect(await refusal(rig.as("ann").createSavedQuery({ name: "x", content: { query } }))).toMatch(/^UNAVAILABLE/);
  });

  test("[SQ3] an owner has at most 100, also when the last places are taken at once", async () => {
    for (let at = 0; at < 98; at += 1)
      await rig.as("ann").createSavedQuery({ name: `q-${at}`, isPrivate: at % 2 === 0, content: { query } });
    const asked = Array.from({ length: 5 }, (_none, at) =>
      rig.as("ann").createSavedQuery({ name: `last-${at}`, content: { query } }),
    );
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    for (const outcome of outcomes)
      if (outcome.status === "rejected") expect(hasCode(outcome.reason, "OVERLOADED")).toBe(true);
    await rig.as("bob").createSavedQuery({ name: "of-bob", content: { query } });
  });

  test("[SQ5] pages have every visible query once, and their positions name none that the viewer cannot see", async () => {
    for (const user of ["ann", "bob"])
      for (const name of ["a", "b", "c", "d"])
        await rig.as(user).createSavedQuery({ name, isPrivate: name !== user[0], content: { query } });
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await rig.as("ann").listSavedQueries({ pageSize: 2, pageToken });
      seen.push(...page.savedQueries.map(({ name, isPrivate, owner }) => `${name} ${isPrivate} ${owner}`));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(seen).toEqual(["a false ann", "b false bob", "b true ann", "c true ann", "d true ann"]);
    expect(await refusal(rig.as("ann").listSavedQueries({ pageToken: "A b" }))).toMatch(/^INVALID_ARGUMENT page_token/);
  });
});

const standing = {
  name: "broken",
  query,
  condition: { on: "enter" },
  webhookUrl: "https://hooks.example.com/T0ken",
  secret: "0123456789abcdef",
};

describe("standing queries", () => {
  test("[SQ7] [SQ9] the owner sees everything but the secret; a user with the right to manage sees no text, rows or path", async () => {
    const { standingQuery, secret } = await rig.as("ann").createStandingQuery({ ...standing, description: "d" });
    expect(secret).toBe("");
    expect(standingQuery).toMatchObject({
      owner: "ann",
      query,
      webhookUrl: standing.webhookUrl,
      intervalSeconds: 60,
      status: { phase: "starting" },
    });
    const seen = await rig.as("root").getStandingQuery({ name: "broken", owner: "ann" });
    expect(seen.standingQuery).toMatchObject({ description: "d", query: "", webhookUrl: "https://hooks.example.com" });
    const all = await rig.as("root").listStandingQueries({ allOwners: true });
    expect(all.standingQueries.map(({ owner, name }) => `${owner}/${name}`)).toEqual(["ann/broken"]);
    const shown = JSON.stringify([standingQuery, seen, all, rig.audit.entries], (_key, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(shown).not.toContain(standing.secret);
    expect(JSON.stringify(rig.audit.entries)).not.toMatch(/T0ken|unhealthy/);
  });

  test("[SQ9] [L17] those of others do not exist for a user without that right", async () => {
    await rig.as("ann").createStandingQuery(standing);
    const bob = rig.as("bob");
    for (const call of ["getStandingQuery", "deleteStandingQuery", "pauseStandingQuery"] as const) {
      const present = await refusal(bob[call]({ name: "broken", owner: "ann" }));
      const absent = await refusal(bob[call]({ name: "others", owner: "ann" }));
      expect([present, absent]).toEqual([
        'NOT_FOUND there is no standing query "broken"',
        'NOT_FOUND there is no standing query "others"',
      ]);
    }
    expect((await bob.listStandingQueries({})).standingQueries).toEqual([]);
    expect(await refusal(bob.listStandingQueries({ allOwners: true }))).toMatch(/^PERMISSION_DENIED/);
    expect((await bob.createStandingQuery(standing)).standingQuery?.owner).toBe("bob");
    expect(await refusal(bob.createStandingQuery(standing))).toMatch(/^ALREADY_EXISTS/);
  });

  test("[SQ7] a secret that is left out is created and returned once", async () => {
    const { secret } = await rig.as("ann").createStandingQuery({ ...standing, secret: "" });
    expect(secret).toMatch(/^[\w-]{43}$/);
    const [row] = (await rig.store.list(objects, { prefix: ["system:queries", "fleet.flotilla.dev/standingqueries"] }))
      .rows;
    expect(new TextDecoder().decode(row?.value.body)).toContain(secret);
  });

  test.each([
    [{ query: "status=unhealthy at:now-1h" }, "query, column 18: a standing query is about the present"],
    [{ query: "-(kind:Pod or at:now)" }, "a standing query is about the present"],
    [{ query: "kind:nope" }, "query, column 6"],
    [{ webhookUrl: "http://hooks.example.com/" }, "the webhook URL must begin with https://"],
    [{ secret: "short" }, "the secret must have 16 to 256 characters"],
    [{ secret: "0123456789 abcdef" }, "the secret must have visible ASCII characters only"],
    [{ intervalSeconds: 9 }, "the interval is 10 s to one day, not 9 s"],
    [{ intervalSeconds: 86_401 }, "the interval is 10 s to one day"],
    [{ condition: { on: "exit" } }, '"exit" is not a condition; write enter, leave, enterOrLeave or threshold'],
    [{ condition: { on: "threshold" } }, "the condition threshold needs a threshold"],
    [{ condition: { on: "enter", threshold: { above: 1n } } }, "a threshold does not work with the condition enter"],
    [
      { condition: { on: "threshold", threshold: { above: 1n, clearAt: 2n } } },
      "clear_at, 2, is more than the threshold, 1",
    ],
    [{ condition: { on: "threshold", threshold: { forSeconds: 86_401 } } }, "at most one day"],
    [{ condition: { on: "threshold", threshold: { above: 2n ** 60n } } }, "the threshold is too large"],
  ])("[SQ6] %# is refused with what is wrong", async (wrong, sentence) => {
    const asked = refusal(rig.as("ann").createStandingQuery({ ...standing, ...wrong }));
    expect(await asked).toMatch(/^INVALID_ARGUMENT /);
    expect(await asked).toContain(sentence);
    expect((await rig.as("ann").listStandingQueries({})).standingQueries).toEqual([]);
  });

  test("[SQ8] an owner has at most 8; a deletion makes room", async () => {
    const ann = rig.as("ann");
    for (let at = 0; at < 8; at += 1) await ann.createStandingQuery({ ...standing, name: `q-${at}` });
    expect(await refusal(ann.createStandingQuery(standing))).toMatch(/^OVERLOADED you have 8 standing queries/);
    await ann.deleteStandingQuery({ name: "q-3" });
    await ann.createStandingQuery(standing);
  });

  test("[SQ10] pausing and resuming are recorded, and a resumption takes the present groups of the owner", async () => {
    await rig.as("ann").createStandingQuery(standing);
    const paused = await rig.as("root").pauseStandingQuery({ name: "broken", owner: "ann" });
    expect(paused.standingQuery?.status?.phase).toBe("paused");
    await rig.as("root").pauseStandingQuery({ name: "broken", owner: "ann" });
    expect(await refusal(rig.as("root").resumeStandingQuery({ name: "broken" }))).toMatch(/^NOT_FOUND/);
    const resumed = await rig.as("ann", ["ops"]).resumeStandingQuery({ name: "broken" });
    expect(resumed.standingQuery?.status?.phase).toBe("starting");
    expect(rig.audit.entries.map(({ action, by }) => `${by} ${action}`)).toEqual([
      "ann standingQuery.create",
      "root standingQuery.pause",
      "ann standingQuery.resume",
    ]);
    expect(rig.audit.entries[2]?.after).toMatchObject({ groups: "ops,system:authenticated" });
  });

  test("[SQ16] an update requires the revision that was read, is the owner's alone, and is recorded without text or secret", async () => {
    const ann = rig.as("ann");
    const { standingQuery: created } = await ann.createStandingQuery(standing);
    const wanted = { ...standing, query: "status=degraded", description: "on call", intervalSeconds: 120 };
    const revision = created?.revision ?? 0n;
    const { standingQuery: updated } = await ann.updateStandingQuery({ ...wanted, secret: "", revision });
    expect(updated).toMatchObject({ query: "status=degraded", description: "on call", intervalSeconds: 120 });
    expect(await refusal(ann.updateStandingQuery({ ...wanted, revision }))).toMatch(/^CONFLICT .*read it again/);
    for (const other of [rig.as("bob"), rig.as("root")])
      expect(await refusal(other.updateStandingQuery({ ...wanted, revision }))).toMatch(/^NOT_FOUND/);
    const again = { ...wanted, secret: "", revision: updated?.revision ?? 0n };
    expect((await ann.updateStandingQuery(again)).standingQuery?.revision).toBe(updated?.revision);
    expect(await refusal(ann.updateStandingQuery({ ...again, webhookUrl: "http://example.com" }))).toMatch(/https/);
    expect(rig.audit.entries.map(({ action }) => action)).toEqual(["standingQuery.create", "standingQuery.update"]);
    expect(rig.audit.entries[1]?.after).toMatchObject({ interval: "120s", description: "on call", changed: "query" });
    expect(JSON.stringify(rig.audit.entries)).not.toMatch(/degraded|unhealthy/);
  });
});
