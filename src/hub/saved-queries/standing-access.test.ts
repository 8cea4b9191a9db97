// SPDX-License-Identifier: Apache-2.0
// Deliveries whose owner loses rights between the evaluation and an attempt (SQ18).
import { afterEach, beforeEach, expect, test } from "vitest";
import { objects } from "../../store/tables.ts";
import { memberIdOf } from "./query-members.ts";
import { standingRunKey } from "./query-places.ts";
import { stateRow } from "./standing-query-state.ts";
import { StandingRig } from "./testing/standing-rig.ts";

const idOf = (name: string): string => memberIdOf({ cluster: "east", resource: "pods", namespace: "shop", name });

let rig: StandingRig;

beforeEach(async () => {
  rig = await StandingRig.open();
});

afterEach(async () => {
  await rig.close();
  expect([rig.clock.timerCount, rig.fleet.viewCount]).toEqual([0, 0]);
});

/** Takes away the right to see rows. The live view shows it. */
function forbid(...paths: readonly string[]): void {
  for (const path of paths) rig.fleet.forbidden.add(path);
  rig.fleet.notify();
}

/** The texts of all attempts from now on. */
function attemptsFromNow(): () => string {
  const from = rig.attempts.length;
  return () => JSON.stringify(rig.attempts.slice(from).map(({ body }) => body));
}

test.each([false, true])(
  "[SQ18] [L17] a delivery that waits has no row that was forbidden meanwhile (with a restart: %s)",
  async (isRestarted) => {
    rig.fleet.set("east/a");
    await rig.create();
    rig.answer = async () => 503;
    await rig.change("east/a", "east/b", "west/c");
    const first = rig.attempts.at(-1);
    expect(first?.body).toContain('"name":"b"');
    if (isRestarted) await rig.stop();
    forbid("east/b");
    const later = attemptsFromNow();
    if (isRestarted) await rig.start();
    rig.answer = async () => 204;
    await rig.clock.advance(600_000);
    expect(rig.received).toMatchObject([{ total: 2, previousTotal: 1, entered: { count: 1, rows: [{ name: "c" }] } }]);
    expect(later()).not.toContain(idOf("b"));
    expect(rig.received[0]?.delivery).not.toBe(first?.headers["Flotilla-Delivery"]);
  },
);

test("[SQ18] rights that are taken away between the evaluation and the first attempt count", async () => {
  await rig.create();
  // The check of the owner comes just before the first attempt.
  let asked = 0;
  Object.defineProperty(rig, "ownerFault", {
    configurable: true,
    get: () => {
      asked += 1;
      if (asked === 2) rig.fleet.forbidden.add("east/b");
      return undefined;
    },
  });
  await rig.change("east/a", "east/b");
  expect(asked).toBeGreaterThan(2);
  expect(JSON.stringify(rig.attempts)).not.toContain(idOf("b"));
  expect(rig.summary).toEqual(["+a"]);
});

test("[SQ18] a row that left because the owner may no longer see it has no name, one that left otherwise has it", async () => {
  rig.fleet.set("east/a", "east/b", "west/c", "west/d");
  await rig.create();
  forbid("east/b");
  await rig.change("east/a", "east/b", "west/c");
  expect(rig.received[0]?.left?.rows).toEqual([
    { id: idOf("b") },
    { id: expect.any(String), cluster: "west", resource: "pods", kind: "Pod", namespace: "shop", name: "d" },
  ]);
});

test("[SQ18] a row that left and then became invisible is withdrawn by its name", async () => {
  rig.fleet.set("east/a", "east/b");
  await rig.create();
  rig.answer = async () => 503;
  await rig.change("east/a");
  expect(rig.attempts.at(-1)?.body).toContain('"name":"b"');
  forbid("east/b");
  const later = attemptsFromNow();
  rig.answer = async () => 204;
  await rig.clock.advance(600_000);
  expect(rig.received).toMatchObject([{ total: 1, previousTotal: 2, left: { count: 1 } }]);
  expect(later()).not.toContain('\\"b\\"');
});

test("[SQ18] nothing is delivered if nothing is left to report, and the query goes on", async () => {
  await rig.create();
  rig.answer = async () => 503;
  await rig.change("east/a");
  forbid("east/a");
  rig.answer = async () => 204;
  await rig.clock.advance(600_000);
  expect(rig.received).toEqual([]);
  await rig.change("east/a", "east/b");
  expect(rig.summary).toEqual(["+b"]);
});

test("[SQ18] the total of a threshold is that of the rights at the attempt", async () => {
  const record = await rig.create({ condition: { on: "threshold", above: 2, clearAt: 1, forMs: 0 } });
  rig.answer = async () => 503;
  await rig.change("east/a", "east/b", "east/c", "east/d");
  expect(rig.attempts.at(-1)?.body).toContain('"total":4');
  forbid("east/a");
  rig.answer = async () => 204;
  await rig.clock.advance(600_000);
  expect(rig.received).toMatchObject([{ kind: "firing", total: 3 }]);
  rig.answer = async () => 503;
  await rig.change("east/b");
  forbid("east/b");
  rig.answer = async () => 204;
  await rig.clock.advance(600_000);
  expect(rig.received).toMatchObject([{ kind: "firing" }, { kind: "resolved", total: 0 }]);
  expect((await rig.state(record)).isFiring).toBe(false);
});

test("[SQ18] [SQ14] rights that did not change withdraw nothing: the delivery keeps its id over a restart", async () => {
  await rig.create();
  rig.answer = async () => 503;
  await rig.change("east/a");
  await rig.stop();
  // The rows of the cluster are loaded some seconds after the start.
  rig.fleet.hidden.add("east");
  rig.unread = new Set(["east"]);
  const { length } = rig.attempts;
  await rig.start();
  await rig.clock.advance(20_000);
  expect(rig.attempts).toHaveLength(length);
  rig.fleet.hidden.clear();
  rig.unread = new Set();
  rig.answer = async () => 204;
  await rig.clock.advance(60_000);
  expect(rig.summary).toEqual(["+a"]);
  expect(new Set(rig.attempts.map(({ headers }) => headers["Flotilla-Delivery"])).size).toBe(1);
});

test("[SQ18] rows of a cluster that stays withheld are not delivered, and those of other clusters are", async () => {
  await rig.create();
  rig.answer = async () => 503;
  await rig.change("east/a", "west/c");
  rig.fleet.hidden.add("east");
  rig.unread = new Set(["east"]);
  const later = attemptsFromNow();
  rig.answer = async () => 204;
  await rig.clock.advance(600_000);
  expect(rig.summary).toEqual(["+c"]);
  expect(later()).not.toContain(idOf("a"));
  rig.fleet.hidden.clear();
  rig.unread = new Set();
  await rig.change("east/a", "west/c");
  expect(rig.summary).toEqual(["+c", "+a"]);
});

test("[SQ18] an owner who may no longer list rows at all is sent nothing", async () => {
  const record = await rig.create();
  rig.answer = async () => 503;
  await rig.change("east/a");
  rig.fleet.denied.add("ann");
  const { length } = rig.attempts;
  rig.answer = async () => 204;
  await rig.clock.advance(600_000);
  expect([rig.attempts.length, rig.received]).toEqual([length, []]);
  expect((await rig.state(record)).halt?.kind).toBe("suspended");
});

test("[SQ18] a delivery that an older hub stored is not sent, because its rights are not known", async () => {
  const record = await rig.create();
  rig.answer = async () => 503;
  await rig.change("east/a");
  await rig.stop();
  const key = standingRunKey(record.id, stateRow);
  const row = await rig.store.get(objects, key);
  const state = JSON.parse(new TextDecoder().decode(row?.value.body)) as { pending: Record<string, unknown> };
  const { access: _access, before: _before, ...pending } = state.pending;
  const body = new TextEncoder().encode(JSON.stringify({ ...state, pending }));
  await rig.store.commit([{ table: objects, key, value: { body }, expect: "any" }]);
  rig.answer = async () => 204;
  await rig.start();
  await rig.change("east/a", "east/b");
  expect(rig.summary).toEqual(["+b"]);
});
