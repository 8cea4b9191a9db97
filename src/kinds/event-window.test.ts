// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { type EventChanges, EventWindow } from "./event-window.ts";

const hourMs = 3_600_000;

interface Told {
  readonly reason?: string;
  readonly object?: string;
  readonly controller?: string;
  readonly type?: string;
  readonly count?: number;
  readonly first?: number;
  readonly last?: number;
  readonly resourceVersion?: string;
  readonly uid?: string;
}

const minute = (at: number): string => `2026-01-05T10:${String(at).padStart(2, "0")}:00Z`;

function event(name: string, told: Told = {}): object {
  const { reason = "BackOff", object = "web", controller = "kubelet", type = "Warning", count = 1 } = told;
  const { first = 0, last = 0, resourceVersion = "1", uid = name } = told;
  return {
    metadata: { name, namespace: "shop", uid, resourceVersion },
    involvedObject: { apiVersion: "v1", kind: "Pod", namespace: "shop", name: object },
    type,
    reason,
    message: `${reason} of ${object}`,
    count,
    source: { component: controller },
    firstTimestamp: minute(first),
    lastTimestamp: minute(last),
  };
}

function namesOf({ upserts, deletes }: EventChanges): unknown {
  return { upserts: upserts.map(({ name }) => name), deletes: deletes.map(({ name }) => name) };
}

function columnOf({ upserts }: EventChanges, column: string): unknown {
  return upserts.at(-1)?.columns.get(column);
}

describe("the window of events", () => {
  test("[KI15] holds only warnings", () => {
    const window = new EventWindow();
    expect(namesOf(window.apply(event("a", { type: "Normal" }), 0))).toEqual({ upserts: [], deletes: [] });
    expect(namesOf(window.apply(event("b"), 0))).toEqual({ upserts: ["b"], deletes: [] });
    expect(window.rows().map(({ name }) => name)).toEqual(["b"]);
    expect(window.leftOutCount).toBe(0);
  });

  test("[KI15] merges by object, reason and controller under the name of the newest, and adds the counts", () => {
    const window = new EventWindow();
    window.apply(event("a", { count: 2, first: 1, last: 2 }), 0);
    const merged = window.apply(event("b", { count: 3, first: 3, last: 5 }), 1);
    expect(namesOf(merged)).toEqual({ upserts: ["b"], deletes: ["a"] });
    expect(columnOf(merged, "count")).toBe(5);
    expect(columnOf(merged, "firstSeenAt")).toBe(Date.parse(minute(1)));
    const older = window.apply(event("c", { count: 1, first: 0, last: 4 }), 2);
    expect([namesOf(older), columnOf(older, "count")]).toEqual([{ upserts: ["b"], deletes: [] }, 6]);
    expect(window.rows()).toHaveLength(1);
  });

  test.each<Told>([{ object: "db" }, { reason: "Failed" }, { controller: "scheduler" }])(
    "[KI15] keeps apart what differs by %j",
    (told) => {
      const window = new EventWindow();
      window.apply(event("a"), 0);
      window.apply(event("b", told), 0);
      expect(window.rows()).toHaveLength(2);
    },
  );

  test("[KI15] takes a newer state of an event in place of the older, not beside it", () => {
    const window = new EventWindow();
    window.apply(event("a", { count: 2 }), 0);
    const again = window.apply(event("a", { count: 7, last: 4, resourceVersion: "2" }), 1);
    expect([namesOf(again), columnOf(again, "count")]).toEqual([{ upserts: ["a"], deletes: [] }, 7]);
  });

  test("[KI15] an event made again under its name is another row with the same name", () => {
    const window = new EventWindow();
    window.apply(event("a", { uid: "u1" }), 0);
    const { deletes, upserts } = window.apply(event("a", { uid: "u2" }), 1);
    expect([deletes, upserts[0]?.uid]).toEqual([[{ namespace: "shop", name: "a", uid: "u1" }], "u2"]);
  });

  test("[KI15] forgets an hour after the last news by the observer's clock, whatever the cluster's clock says", () => {
    const window = new EventWindow();
    window.apply(event("a"), 0);
    window.apply(event("b", { object: "db" }), 10);
    window.apply(event("a", { resourceVersion: "2" }), 20);
    window.apply(event("a", { resourceVersion: "2" }), 500);
    expect(namesOf(window.expire(hourMs + 9))).toEqual({ upserts: [], deletes: [] });
    expect(namesOf(window.expire(hourMs + 10))).toEqual({ upserts: [], deletes: ["b"] });
    expect(namesOf(window.expire(hourMs + 20))).toEqual({ upserts: [], deletes: ["a"] });
    expect([window.rows(), window.leftOutCount]).toEqual([[], 0]);
  });

  test("[KI15] holds at most 1,000 rows, drops the oldest, and counts what it left out", () => {
    const window = new EventWindow();
    const made = Array.from({ length: 1_000 }, (_, at) =>
      event(`e${at}`, { object: `pod-${at}`, last: 10 + (at % 40) }),
    );
    for (const each of made) window.apply(each, 0);
    expect([window.rows().length, window.leftOutCount]).toEqual([1_000, 0]);
    expect(namesOf(window.apply(event("new", { object: "new", last: 55 }), 1))).toEqual({
      upserts: ["new"],
      deletes: ["e0"],
    });
    expect(namesOf(window.apply(event("old", { object: "old", last: 1 }), 1))).toEqual({ upserts: [], deletes: [] });
    expect([window.rows().length, window.leftOutCount, window.rows()[0]?.name]).toEqual([1_000, 2, "new"]);
  });

  test("[KI15] what the cluster deleted is gone, and what it was merged with stays", () => {
    const window = new EventWindow();
    window.apply(event("a", { last: 1 }), 0);
    window.apply(event("b", { last: 2 }), 0);
    expect(namesOf(window.remove({ namespace: "shop", name: "b" }))).toEqual({ upserts: ["a"], deletes: ["b"] });
    expect(namesOf(window.remove({ namespace: "shop", name: "a" }))).toEqual({ upserts: [], deletes: ["a"] });
    expect(namesOf(window.remove({ namespace: "shop", name: "a" }))).toEqual({ upserts: [], deletes: [] });
  });

  test("[KI15] an event that becomes about something else moves", () => {
    const window = new EventWindow();
    window.apply(event("a"), 0);
    const moved = window.apply(event("a", { reason: "Failed", resourceVersion: "2" }), 1);
    expect(namesOf(moved)).toEqual({ upserts: ["a"], deletes: ["a"] });
    expect(namesOf(window.apply(event("a", { type: "Normal", resourceVersion: "3" }), 2))).toEqual({
      upserts: [],
      deletes: ["a"],
    });
  });

  test("[KI15] one row keeps the counts of however many events, and few of the events", () => {
    const window = new EventWindow();
    for (let at = 0; at < 50; at += 1) window.apply(event(`e${at}`, { count: 2, first: at, last: at }), 0);
    expect(namesOf(window.remove({ namespace: "shop", name: "e0" }))).toEqual({ upserts: [], deletes: [] });
    const [row] = window.rows();
    expect([row?.name, row?.columns.get("count"), row?.columns.get("firstSeenAt")]).toEqual([
      "e49",
      100,
      Date.parse(minute(0)),
    ]);
  });
});
