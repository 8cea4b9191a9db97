// SPDX-License-Identifier: Apache-2.0
import { afterEach, describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import { LiveBudget } from "../../index/live/live-budget.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import type { Subject } from "../../model/subject.ts";
import { bindingTo, contentOf, hmac, LiveRig, viewerRole } from "./testing/live-rig.ts";

const hasher = await createHasher();
const ada: Subject = { user: "ada", groups: ["team"] };
const bob: Subject = { user: "bob", groups: ["team"] };
const eve: Subject = { user: "eve", groups: [] };

let rig: LiveRig;
afterEach(() => {
  rig.engine.closeAll();
  expect(rig.clock.timerCount).toBe(0);
});

/** Cluster `east` with two Pods. The team may see Pods. */
function openRig(options: ConstructorParameters<typeof LiveRig>[1] = {}): LiveRig {
  rig = new LiveRig(hasher, options);
  rig.register("east", "eu");
  rig.grant("east", [viewerRole("pods", ["pods"]), bindingTo("Group", "team", "pods")]);
  rig.fold("east", "pods", [contentOf("web"), contentOf("db", { status: "unhealthy" })]);
  return rig;
}

describe("[QL16] a live view", () => {
  test("begins with a snapshot, then has what enters, changes and leaves, with total and facets", async () => {
    const { engine, clock } = openRig();
    const { id } = engine.open(
      { viewer: { kind: "user", subject: ada }, clusters: undefined },
      { text: "kind:Pod", limit: 2, sort: ["name"], facets: ["status"], position: "" },
    );
    expect(await engine.next(id)).toMatchObject({
      isSnapshot: true,
      rows: [{ kind: "Thing", row: { name: "db" } }, { row: { name: "web" } }],
      places: [0, 1],
      left: [],
      total: 2,
      facets: [{ field: "status", values: [{ value: "healthy" }, { value: "unhealthy" }] }],
      clusters: ["east"],
      resources: new Set(["pods"]),
    });
    const call = engine.next(id);
    rig.fold("east", "pods", [contentOf("api"), contentOf("web", { status: "degraded" })]);
    await clock.advance(1_000);
    expect(await call).toMatchObject({
      isSnapshot: false,
      rows: [{ row: { name: "api" } }],
      places: [0],
      left: [{ cluster: "east", resource: "pods", namespace: "a", name: "web" }],
      total: 3,
    });
  });

  test("answers with nothing after a time without changes, and of changes that it does not show", async () => {
    const { clock } = openRig();
    const reader = rig.open(ada, { text: "kind:Pod" });
    await reader.catchUp();
    rig.fold("east", "services", [contentOf("web")]);
    const call = reader.poll();
    await clock.advance(3_999);
    await Promise.race([call, settle()]);
    expect(reader.updates).toHaveLength(1);
    await clock.advance(1);
    await call;
    expect(reader.updates).toHaveLength(1);
  });

  test("has the registered clusters that its query selects, when they change", async () => {
    openRig();
    const reader = rig.open(ada, { text: "region:eu" });
    await reader.catchUp();
    rig.register("north", "us");
    rig.register("west", "eu");
    await reader.catchUp();
    expect(reader.updates.map(({ clusters }) => clusters)).toEqual([["east"], ["east", "west"]]);
  });

  test("refuses a past moment, an unknown field and a page that is too large before anything is read", () => {
    openRig();
    for (const query of [{ text: "at:2026-01-01" }, { text: "statsu:x" }, { limit: 501 }, { sort: ["nothing"] }])
      expect(() => rig.open(ada, query)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });
});

describe("[QL13] [QL22] [L17] [Q-42] grants of a live view", () => {
  test("a user without watch sees nothing", async () => {
    openRig();
    rig.grant("east", [viewerRole("list", ["pods"], ["get", "list"]), bindingTo("User", "eve", "list")]);
    const reader = rig.open(eve);
    await reader.catchUp();
    expect(reader.shown()).toMatchObject({ rows: [], total: 0 });
  });

  test("a revocation reaches a waiting reader in the next turn, though its interval is not over and rows change", async () => {
    const { clock } = openRig();
    const reader = rig.open(ada);
    await reader.catchUp();
    // A change that was just shown: the next refresh of rows is due after the interval.
    rig.fold("east", "pods", [contentOf("api")]);
    const call = reader.poll();
    await clock.advance(60);
    await call;
    expect(reader.shown().total).toBe(3);
    const waiting = reader.poll();
    rig.fold("east", "pods", [contentOf("late")]);
    rig.grant("east", [], [bindingTo("Group", "team", "pods")]);
    await clock.advance(0);
    await waiting;
    expect(reader.shown()).toMatchObject({ rows: [], total: 0 });
  });

  test("a state that was computed before a revocation is not shown to a reader that comes after it", async () => {
    openRig();
    const [first, late] = [rig.open(ada), rig.open(ada)];
    await first.poll();
    expect(first.shown().total).toBe(2);
    rig.grant("east", [], [bindingTo("Group", "team", "pods")]);
    await late.poll();
    expect(late.shown()).toMatchObject({ rows: [], total: 0 });
  });

  test("a row that has changed since the state was computed is not shown as a row of that state", async () => {
    openRig();
    const [first, late] = [rig.open(ada, { text: "status=healthy" }), rig.open(ada, { text: "status=healthy" })];
    await first.poll();
    expect(first.shown().rows).toHaveLength(1);
    rig.fold("east", "pods", [contentOf("web", { status: "degraded" })]);
    await late.catchUp();
    expect(late.updates).toMatchObject([{ isSnapshot: true, rows: [], total: 0 }]);
  });

  test("a change of grants that no note announced is found all the same", async () => {
    openRig();
    const reader = rig.open(ada);
    await reader.catchUp();
    rig.access.setWithheld("east", true);
    await rig.clock.advance(4_000);
    await reader.catchUp();
    expect(reader.shown()).toMatchObject({ rows: [], total: 0 });
  });

  test("users with equal grants share a result until one of them has others", async () => {
    openRig();
    const readers = [rig.open(ada), rig.open(bob), rig.open(eve)];
    for (const reader of readers) await reader.catchUp();
    expect(readers.map((reader) => reader.shown().total)).toEqual([2, 2, 0]);
    rig.grant("east", [bindingTo("User", "bob", "secrets"), viewerRole("secrets", ["secrets"])]);
    rig.fold("east", "secrets", [contentOf("key")]);
    rig.grant("east", [bindingTo("User", "eve", "pods")]);
    for (const reader of readers) await reader.catchUp();
    expect(readers.map((reader) => reader.shown().total)).toEqual([2, 3, 2]);
  });

  test("clusters that the hub no longer shows to the user leave the view", async () => {
    const { engine } = openRig();
    const reader = rig.open(ada, {}, new Set(["east"]));
    await reader.catchUp();
    expect(await engine.next(reader.id, { clusters: new Set() })).toMatchObject({
      total: 0,
      left: [{}, {}],
      clusters: [],
    });
  });
});

describe("[QL18] views that are late for the changes that are kept", () => {
  test("are refreshed after those that are not, however long they have waited", async () => {
    const { clock } = openRig({ sizes: { maxLogBytes: 3_000 } });
    const [late, current] = [rig.open(ada, { text: "kind:Pod" }), rig.open(ada, { text: "kind:Pod", limit: 4 })];
    for (const reader of [late, current]) await reader.catchUp();
    for (let at = 0; at < 8; at += 1) {
      rig.fold("east", "pods", [contentOf(`p${at}`)]);
      await current.catchUp();
    }
    rig.fold("east", "pods", [contentOf("last")]);
    const order: string[] = [];
    const calls = [late.poll().then(() => order.push("late")), current.poll().then(() => order.push("current"))];
    await clock.advance(1_000);
    await Promise.all(calls);
    expect(order).toEqual(["current", "late"]);
    for (const reader of [late, current]) expect(reader.shown()).toEqual(await rig.ask(reader));
  });
});

describe("[QL20] [Q-42] a position", () => {
  test("resumes with what changed since, also after updates that were lost", async () => {
    openRig();
    const query = { sort: ["name"] };
    const [reader, losing] = [rig.open(ada, query), rig.open(ada, query)];
    for (const each of [reader, losing]) await each.catchUp();
    const { position } = losing;
    rig.engine.close(losing.id);
    for (const name of ["api", "cache"]) {
      rig.fold("east", "pods", [contentOf(name)]);
      await reader.catchUp();
    }
    rig.fold("east", "pods", [], [contentOf("web")]);
    losing.reopen(position);
    await losing.catchUp();
    expect(losing.updates.slice(1)).toMatchObject([
      { isSnapshot: false, rows: [{ row: { name: "api" } }, { row: { name: "cache" } }], left: [{ name: "web" }] },
    ]);
    expect(losing.shown()).toEqual(await rig.ask(losing));
  });

  test("of the same rows sends no row again, even to another process of the hub", async () => {
    openRig();
    const reader = rig.open(ada);
    await reader.catchUp();
    const { position } = reader;
    rig.engine.closeAll();
    openRig();
    const later = rig.open(ada, { position });
    await later.catchUp();
    expect(later.updates).toMatchObject([{ isSnapshot: false, rows: [], left: [], total: 2 }]);
  });

  test("of another user, query or order, and any other text, begins with a snapshot", async () => {
    openRig();
    const reader = rig.open(ada);
    await reader.catchUp();
    const { position } = reader;
    rig.fold("east", "pods", [], [contentOf("web")]);
    const others = [
      rig.open(bob, { position }),
      rig.open(ada, { position, text: "kind:Pod" }),
      rig.open(ada, { position, sort: ["name"] }),
      rig.open(ada, { position: "x".repeat(100_000) }),
      rig.open(ada, { position: "AAAA" }),
    ];
    for (const other of others) {
      await other.catchUp();
      expect(other.updates).toMatchObject([{ isSnapshot: true, left: [], rows: [{ row: { name: "db" } }] }]);
    }
  });

  test("is too old a minute after its reader left, then begins with a snapshot", async () => {
    const { clock } = openRig();
    const reader = rig.open(ada);
    await reader.catchUp();
    rig.engine.close(reader.id);
    rig.fold("east", "pods", [contentOf("api")]);
    await clock.advance(61_000);
    const later = rig.open(ada, { position: reader.position });
    await later.catchUp();
    expect(later.updates).toMatchObject([{ isSnapshot: true, total: 3 }]);
  });
});

describe("[QL21] [L13] bounds of live views", () => {
  test("a reader that does not read for a minute is ended with GONE, and gets the newest state if it reads in time", async () => {
    const { clock } = openRig();
    const [slow, gone] = [rig.open(ada), rig.open(ada)];
    for (const reader of [slow, gone]) await reader.catchUp();
    await clock.advance(5_000);
    for (let at = 0; at < 50; at += 1) {
      rig.fold("east", "pods", [contentOf("web", { generation: at })]);
      await clock.advance(1_000);
    }
    await slow.catchUp();
    expect(slow.updates).toHaveLength(2);
    await clock.advance(10_000);
    await expect(rig.engine.next(gone.id)).rejects.toMatchObject({
      code: "GONE",
      message:
        "the live view is closed, because it was not read for 60 s; open it again with the position of its last update",
    });
  });

  test("a user has at most 100 views, the hub at most 2,000", () => {
    openRig();
    const opened = Array.from({ length: 100 }, () => rig.open(ada));
    expect(() => rig.open(ada)).toThrow(
      expect.objectContaining({ code: "OVERLOADED", message: "you have 100 live views open; close one of them" }),
    );
    rig.engine.close(opened[0]?.id ?? 0);
    rig.open(ada);
    for (let at = 0; at < 1_900; at += 1) rig.open({ user: `user-${at}`, groups: [] });
    expect(() => rig.open(eve)).toThrow(
      expect.objectContaining({ code: "OVERLOADED", message: "the hub has 2000 live views open; try again later" }),
    );
  });

  test("the views of the hub have at most 400,000 rows by their limits", () => {
    openRig();
    for (let at = 0; at < 800; at += 1) rig.open({ user: `user-${at}`, groups: [] }, { limit: 500 });
    expect(() => rig.open(ada, { limit: 1 })).toThrow(
      expect.objectContaining({
        code: "OVERLOADED",
        message: "the live views of the hub have 400000 of at most 400000 rows; lower the limit or try again later",
      }),
    );
    rig.open(ada, { limit: 0 });
  });

  test("closing a view answers its call, and all memory that views kept is released", async () => {
    const budget = new LiveBudget();
    openRig({ budget });
    const reader = rig.open(ada, { facets: ["name"] });
    await reader.catchUp();
    expect(budget.usedBytes).toBeGreaterThan(0);
    const call = reader.poll();
    rig.engine.close(reader.id);
    await call;
    await rig.clock.advance(60_000);
    expect(budget.usedBytes).toBe(0);
  });
});

describe("[QL18] the interval of a view", () => {
  test("is at least 200 ms: changes in between are shown together", async () => {
    const { clock } = openRig();
    const reader = rig.open(ada, { limit: 50 });
    await reader.catchUp();
    const before = reader.updates.length;
    for (let ms = 0; ms < 1_000; ms += 20) {
      rig.fold("east", "pods", [contentOf(`pod-${ms}`)]);
      void reader.poll();
      await clock.advance(20);
    }
    await reader.catchUp();
    expect(reader.shown().total).toBe(52);
    expect(reader.updates.length - before).toBeLessThanOrEqual(7);
    expect(reader.updates.length - before).toBeGreaterThanOrEqual(4);
  });

  test("ends when a row reaches an age of the query, without any change", async () => {
    const { clock } = openRig();
    const createdAt = clock.wallMs() - 60_000;
    rig.fold("east", "pods", [contentOf("young", { createdAt })]);
    const reader = rig.open(ada, { text: "age<90s" });
    await reader.catchUp();
    expect(reader.shown().total).toBe(1);
    await clock.advance(30_000);
    await reader.catchUp();
    expect(reader.shown().total).toBe(0);
    expect(clock.nextDueMs).toBeGreaterThan(clock.nowMs());
  });
});

test("[QL21] [L14] a view that cannot be computed ends with the reason, and harms no other", async () => {
  openRig();
  const other = rig.open(eve);
  await other.catchUp();
  const reader = rig.open(ada);
  const { grantsOf } = rig.access;
  const visibilityOf = (): never => {
    throw new FlotillaError("TOO_LARGE", "too many values");
  };
  rig.access.grantsOf = (cluster, subject) => {
    const grants = grantsOf.call(rig.access, cluster, subject);
    return Object.assign(grants, { visibilityOf });
  };
  await expect(reader.poll()).rejects.toMatchObject({ code: "TOO_LARGE", message: "too many values" });
  await expect(rig.engine.next(reader.id)).rejects.toMatchObject({ code: "GONE" });
  rig.access.grantsOf = (cluster, subject) => {
    const grants = grantsOf.call(rig.access, cluster, subject);
    Reflect.deleteProperty(grants, "visibilityOf");
    return grants;
  };
  rig.grant("east", [bindingTo("User", "eve", "pods")]);
  await other.catchUp();
  expect(other.shown().total).toBe(2);
});

test("[QL21] [L14] a view whose update cannot be made ends with the reason, and others of the same query go on", async () => {
  let isBroken = false;
  openRig({
    mac: (key, message) => {
      if (isBroken && new TextDecoder().decode(message).includes("ada")) throw new Error("no position");
      return hmac(key, message);
    },
  });
  const [bad, good] = [rig.open(ada), rig.open(bob)];
  for (const reader of [bad, good]) await reader.catchUp();
  isBroken = true;
  const ended = expect(bad.poll()).rejects.toThrow("no position");
  rig.fold("east", "pods", [contentOf("api")]);
  await good.catchUp();
  await ended;
  expect(good.shown().total).toBe(3);
  await expect(rig.engine.next(bad.id)).rejects.toMatchObject({ code: "GONE" });
});
