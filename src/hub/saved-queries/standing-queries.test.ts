// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { objects } from "../../store/tables.ts";
import { memberIdOf } from "./query-members.ts";
import { standingRunKeys } from "./query-places.ts";
import { podRow } from "./testing/fake-fleet-queries.ts";
import { testActor } from "./testing/query-store.ts";
import { ann, StandingRig } from "./testing/standing-rig.ts";

const hourMs = 3_600_000;
const idOf = (name: string): string => memberIdOf({ cluster: "east", resource: "pods", namespace: "shop", name });

let rig: StandingRig;

beforeEach(async () => {
  rig = await StandingRig.open();
});

afterEach(async () => {
  await rig.close();
  expect([rig.clock.timerCount, rig.fleet.viewCount]).toEqual([0, 0]);
});

describe("enter and leave", () => {
  test("[SQ11] rows that match at the creation are not reported; those that enter and leave afterwards are, once", async () => {
    rig.fleet.set("east/a");
    await rig.create();
    await rig.change("east/a", "east/b");
    await rig.change("east/b");
    await rig.clock.advance(hourMs);
    expect(rig.summary).toEqual(["+b", "-a"]);
    expect(rig.received).toMatchObject([
      { kind: "changed", total: 2, previousTotal: 1, isExact: true, entered: { count: 1 } },
      { total: 1, previousTotal: 2, left: { count: 1, rows: [{ id: idOf("a"), cluster: "east", kind: "Pod" }] } },
    ]);
  });

  test.each([
    ["enter", ["+b", "+a"]],
    ["leave", ["-a", "-b"]],
  ] as const)("[SQ11] the condition %s reports only that", async (on, expected) => {
    rig.fleet.set("east/a");
    await rig.create({ condition: { on } });
    await rig.change("east/a", "east/b");
    await rig.change("east/b");
    await rig.change("east/a");
    expect(rig.summary).toEqual(expected);
  });

  test("[SQ14] changes within an interval are one delivery of their net effect, with counts and a bounded sample", async () => {
    await rig.create({ intervalMs: 120_000 });
    await rig.change("east/a");
    expect(rig.summary).toEqual(["+a"]);
    await rig.change("east/a", "east/b");
    await rig.change("east/a");
    await rig.change(...Array.from({ length: 40 }, (_none, at) => `east/pod-${at}`));
    expect(rig.received).toHaveLength(1);
    await rig.clock.advance(120_000);
    expect(rig.received).toHaveLength(2);
    expect(rig.received[1]).toMatchObject({ total: 40, entered: { count: 40 }, left: { count: 1 } });
    expect(rig.received[1]?.entered?.rows).toHaveLength(25);
  });

  test("[SQ11] a change that no live view notified is found by the poll", async () => {
    await rig.create();
    rig.fleet.set();
    await rig.clock.advance(10_000);
    rig.fleet.rows.set("east/a", podRow("east/a"));
    await rig.clock.advance(70_000);
    expect(rig.summary).toEqual(["+a"]);
  });

  test("[SQ13] above 10,000 rows only their number is compared, and below it rows again", async () => {
    const many = Array.from({ length: 10_001 }, (_none, at) => `east/pod-${at}`);
    rig.fleet.set("east/pod-1");
    const record = await rig.create();
    await rig.change(...many);
    await rig.change(...many.slice(0, 3));
    await rig.change(...many.slice(0, 2));
    expect(rig.received).toMatchObject([
      { isExact: false, total: 10_001, previousTotal: 1, entered: { count: 10_000, rows: [] } },
      { isExact: false, total: 3, left: { count: 9_998, rows: [] } },
      { isExact: true, total: 2, left: { count: 1, rows: [{ name: "pod-2" }] } },
    ]);
    expect((await rig.state(record)).known).toEqual({ total: 2, isExact: true });
  });
});

describe("[L4] rows that cannot be read", () => {
  test("[SQ11] a cluster that is withheld or still loading loses no member, and what has left meanwhile leaves afterwards", async () => {
    rig.fleet.set("east/a", "east/b", "west/c");
    await rig.create();
    rig.unread = new Set(["east"]);
    rig.fleet.hidden.add("east");
    await rig.change("east/a", "west/d");
    expect(rig.summary).toEqual(["+d -c"]);
    rig.unread = new Set();
    rig.fleet.hidden.clear();
    await rig.change("east/a", "west/d");
    expect(rig.summary).toEqual(["+d -c", "-b"]);
  });

  test("[SQ11] a failed evaluation changes no member, and its reason is shown until one succeeds", async () => {
    rig.fleet.set("east/a");
    const record = await rig.create();
    rig.fleet.fault = new FlotillaError("TOO_LARGE", "the query reads too many rows");
    await rig.change("east/b");
    expect(await rig.state(record)).toMatchObject({ fault: "the query reads too many rows", known: { total: 1 } });
    rig.fleet.fault = undefined;
    await rig.clock.advance(70_000);
    expect(rig.summary).toEqual(["+b -a"]);
    expect((await rig.state(record)).fault).toBe("");
  });
});

describe("threshold", () => {
  const condition = { on: "threshold", above: 2, clearAt: 1, forMs: 30_000 } as const;

  test("[SQ12] fires once when the total was above for the time, and resolves once when it was at the lower bound", async () => {
    const record = await rig.create({ condition });
    await rig.change("east/a", "east/b", "east/c");
    expect(rig.summary).toEqual([]);
    await rig.clock.advance(20_000);
    expect(rig.summary).toEqual(["firing"]);
    await rig.change("east/a", "east/b");
    await rig.change("east/a", "east/b", "east/c", "east/d");
    await rig.clock.advance(hourMs);
    expect(rig.summary).toEqual(["firing"]);
    expect((await rig.state(record)).isFiring).toBe(true);
    await rig.change("east/a");
    await rig.clock.advance(hourMs);
    expect(rig.summary).toEqual(["firing", "resolved"]);
    expect(rig.received[1]).toMatchObject({ total: 1, standingQuery: { threshold: { above: 2, clearAt: 1 } } });
  });

  test("[SQ12] a total that falls before the time is over does not fire", async () => {
    await rig.create({ condition });
    for (let round = 0; round < 5; round += 1) {
      await rig.change("east/a", "east/b", "east/c");
      await rig.change("east/a");
    }
    await rig.clock.advance(hourMs);
    expect(rig.summary).toEqual([]);
  });

  test("[SQ12] [L4] rows that cannot be read do not resolve it, and a restart neither repeats nor loses the report", async () => {
    await rig.create({ condition });
    await rig.change("east/a", "east/b", "east/c");
    await rig.clock.advance(60_000);
    await rig.stop();
    rig.unread = new Set(["east"]);
    rig.fleet.hidden.add("east");
    await rig.start();
    await rig.clock.advance(hourMs);
    expect(rig.summary).toEqual(["firing"]);
    rig.unread = new Set();
    rig.fleet.hidden.clear();
    await rig.change();
    await rig.clock.advance(hourMs);
    expect(rig.summary).toEqual(["firing", "resolved"]);
  });
});

describe("restart", () => {
  test("[SQ13] what entered and left while no hub ran is reported once, and nothing is repeated", async () => {
    rig.fleet.set("east/a", "east/b");
    await rig.create();
    await rig.change("east/a", "east/b", "east/c");
    await rig.stop();
    rig.fleet.set("east/b", "east/c", "east/d");
    await rig.clock.advance(hourMs);
    await rig.start();
    await rig.clock.advance(hourMs);
    expect(rig.summary).toEqual(["+c", `+d -${idOf("a")}`]);
    await rig.stop();
    await rig.start();
    await rig.clock.advance(hourMs);
    expect(rig.received).toHaveLength(2);
  });

  test("[SQ14] a delivery that was not accepted is sent again with its id, before anything newer", async () => {
    await rig.create();
    rig.answer = async () => 503;
    await rig.change("east/a");
    await rig.stop();
    rig.fleet.set("east/a", "east/b");
    await rig.clock.advance(hourMs);
    rig.answer = async () => 204;
    await rig.start();
    await rig.clock.advance(60_000);
    expect(rig.summary).toEqual(["+a", "+b"]);
    const ids = rig.attempts.map(({ headers }) => headers["Flotilla-Delivery"]);
    expect(new Set(ids)).toEqual(new Set(rig.received.map(({ delivery }) => delivery)));
    expect(ids.indexOf(rig.received[1]?.delivery)).toBe(ids.length - 1);
  });

  test("[SQ14] the interval goes on over a restart", async () => {
    await rig.create({ intervalMs: hourMs });
    await rig.change("east/a");
    await rig.stop();
    rig.fleet.set("east/a", "east/b");
    await rig.start();
    await rig.clock.advance(hourMs / 2);
    expect(rig.summary).toEqual(["+a"]);
    await rig.clock.advance(hourMs / 2);
    expect(rig.summary).toEqual(["+a", "+b"]);
  });

  test("[SQ13] [ST26] a hub that lost the lease stores nothing: the next one finds the state unchanged", async () => {
    const record = await rig.create();
    const before = await rig.state(record);
    await rig.store.leases.release("fleet-tasks", "hub run-1");
    await rig.store.leases.acquire("fleet-tasks", "another", hourMs);
    await rig.change("east/a");
    expect([await rig.state(record), rig.attempts]).toEqual([before, []]);
    await rig.store.leases.release("fleet-tasks", "another");
  });
});

describe("receiver that does not accept", () => {
  test.each([
    ["answers 503", async () => 503],
    ["cannot be reached", async () => Promise.reject(new Error("connect ECONNREFUSED"))],
    ["never answers", () => new Promise<number>(() => undefined)],
  ])(
    "[SQ14] [SQ15] that %s is tried again with backoff and with one id, then once accepted",
    async (_name, failing) => {
      const record = await rig.create();
      rig.answer = failing;
      await rig.change("east/a");
      await rig.clock.advance(600_000);
      const { pending } = await rig.state(record);
      expect(pending).toMatchObject({ error: expect.stringMatching(/receiver/), id: expect.stringMatching(/^dlv_/) });
      expect(rig.attempts.length).toBeGreaterThan(3);
      expect(rig.attempts.length).toBeLessThan(20);
      expect(new Set(rig.attempts.map(({ headers }) => headers["Flotilla-Delivery"]))).toEqual(new Set([pending?.id]));
      rig.answer = async () => 204;
      await rig.clock.advance(600_000);
      expect(rig.summary).toEqual(["+a"]);
      expect(await rig.state(record)).toMatchObject({ pending: undefined, deliveredCount: 1 });
    },
  );

  test("[SQ15] after 24 h of failed attempts the query is dead; a resumption sends the same delivery and goes on", async () => {
    const record = await rig.create();
    rig.answer = async () => 500;
    await rig.change("east/a");
    await rig.clock.advance(23 * hourMs);
    expect((await rig.state(record)).halt).toBeUndefined();
    await rig.clock.advance(2 * hourMs);
    expect((await rig.state(record)).halt).toMatchObject({
      kind: "dead",
      reason: "the webhook's receiver answered 500",
    });
    const attemptCount = rig.attempts.length;
    rig.answer = async () => 204;
    await rig.change("east/a", "east/b");
    expect([rig.attempts.length, rig.fleet.viewCount]).toEqual([attemptCount, 0]);
    await rig.definitions.resume("broken", ann, testActor);
    await rig.clock.advance(60_000);
    expect(rig.summary).toEqual(["+a", "+b"]);
  });

  test("[SQ15] [L14] one receiver that fails delays no other query", async () => {
    await rig.create();
    await rig.create({ name: "other", webhookUrl: "https://other.example.com/" });
    rig.send = async ({ url, body }) => {
      if (url.startsWith("https://hooks")) return 503;
      rig.received.push(JSON.parse(body) as never);
      return 200;
    };
    await rig.change("east/a");
    expect(rig.summary).toEqual(["+a"]);
  });
});

describe("owner", () => {
  test.each([
    ["whose credential was revoked", () => void (rig.ownerFault = "ann has no valid token with these groups")],
    ["whose role was revoked", () => void rig.fleet.denied.add("ann")],
  ])(
    "[SQ10] %s: the query is suspended with the reason, reads and sends nothing, until it is resumed",
    async (_name, revoke) => {
      const record = await rig.create();
      revoke();
      await rig.change("east/a");
      const { halt } = await rig.state(record);
      expect(halt).toMatchObject({ kind: "suspended", reason: expect.stringMatching(/^ann has|user "ann" may not/) });
      expect(rig.audit.entries.at(-1)).toMatchObject({ action: "standingQuery.suspend", by: "system:hub" });
      const { listCount } = rig.fleet;
      rig.ownerFault = undefined;
      rig.fleet.denied.clear();
      await rig.stop();
      await rig.start();
      await rig.change("east/a", "east/b");
      expect([rig.fleet.listCount, rig.received]).toEqual([listCount, []]);
      await rig.definitions.resume("broken", { ...ann, groups: ["others"] }, testActor);
      await rig.clock.advance(60_000);
      expect(rig.summary).toEqual(["+a +b"]);
    },
  );

  test("[SQ10] a delivery that waits is not sent after the owner lost the right", async () => {
    await rig.create();
    rig.answer = async () => 503;
    await rig.change("east/a");
    rig.ownerFault = "gone";
    const attemptCount = rig.attempts.length;
    await rig.clock.advance(hourMs);
    expect(rig.attempts.length).toBe(attemptCount);
  });

  test("[SQ10] whose validity is not known now suspends nothing", async () => {
    const record = await rig.create();
    Object.defineProperty(rig, "ownerFault", {
      configurable: true,
      get: () => {
        throw new FlotillaError("UNAVAILABLE", "the hub is still loading its tokens; try again");
      },
    });
    await rig.change("east/a");
    expect(await rig.state(record)).toMatchObject({
      halt: undefined,
      fault: expect.stringMatching(/loading its tokens/),
    });
    Object.defineProperty(rig, "ownerFault", { value: undefined });
    await rig.clock.advance(70_000);
    expect(rig.summary).toEqual(["+a"]);
  });
});

describe("definition", () => {
  test("[SQ10] a paused query reads nothing; after its resumption the difference is reported", async () => {
    rig.fleet.set("east/a");
    await rig.create();
    await rig.definitions.pause("broken", "ann", testActor);
    await rig.change("east/b");
    expect([rig.summary, rig.fleet.viewCount]).toEqual([[], 0]);
    await rig.definitions.resume("broken", ann, testActor);
    await rig.clock.advance(60_000);
    expect(rig.summary).toEqual([`+b -${idOf("a")}`]);
  });

  test("[SQ8] a deleted query leaves no row, and one of the same name begins anew", async () => {
    rig.fleet.set("east/a");
    const record = await rig.create();
    rig.answer = async () => 503;
    await rig.change("east/b");
    await rig.definitions.delete("broken", "ann", testActor);
    await rig.clock.advance(hourMs);
    expect([
      await rig.exists(record),
      (await rig.store.list(objects, { prefix: standingRunKeys(record.id) })).rows,
    ]).toEqual([false, []]);
    rig.answer = async () => 204;
    await rig.create();
    await rig.change("east/b", "east/c");
    expect(rig.summary).toEqual(["+c"]);
  });
});
