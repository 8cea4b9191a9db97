// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { SimRequest } from "../../../test/support/sim/sim-api-server-request.ts";
import { pod, pods, ReflectorRig } from "./testing/reflector-rig.ts";

function isResumed({ verb, query }: SimRequest): boolean {
  return verb === "watch" && query["resourceVersion"] !== undefined;
}

describe("list, watch, resume", () => {
  test("[KU10][KU11] a WatchList gives what is there, then changes; no LIST at all", async () => {
    await using rig = new ReflectorRig();
    rig.server.put(pods, pod("a"));
    rig.start();
    await rig.clock.advance(50);
    rig.server.put(pods, pod("b"));
    rig.server.delete(pods, "shop", "a");
    await rig.clock.advance(50);
    expect(rig.story).toEqual(["listing", "object a", "listed", "current", "object b", "deleted a"]);
    expect(rig.folded.objects).toEqual(rig.truth);
    expect(rig.requests).toMatchObject([
      {
        verb: "watch",
        query: { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: "true" },
      },
    ]);
  });

  test("[KU11] where WatchList is refused the list comes in pages, and WatchList is not asked for again", async () => {
    await using rig = new ReflectorRig({ offersWatchList: false });
    for (const name of ["a", "b", "c", "d", "e"]) rig.server.put(pods, pod(name));
    rig.start({ pageSize: 2 });
    await rig.clock.advance(100);
    expect(rig.requests.map(({ verb }) => verb)).toEqual(["watch", "list", "list", "list", "watch"]);
    expect(rig.verbs("list").map(({ query }) => query["limit"])).toEqual(["2", "2", "2"]);
    expect(rig.ofKind("listed")).toMatchObject([{ objectCount: 5 }]);
    expect(rig.ofKind("failed")).toEqual([]);
    rig.server.compact();
    rig.server.put(pods, pod("f"));
    rig.server.compact();
    rig.server.breakWatches("end");
    await rig.clock.advance(2_000);
    expect(rig.requests.filter(({ query }) => "sendInitialEvents" in query)).toHaveLength(1);
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("[KU10][R-34] a cut of 2 s causes no LIST: the watch resumes after the last event or bookmark", async () => {
    await using rig = new ReflectorRig();
    rig.server.put(pods, pod("a"));
    rig.start();
    await rig.clock.advance(61_000);
    rig.server.put(pods, pod("b"));
    await rig.clock.advance(1_000);
    rig.server.setState("down");
    rig.server.put(pods, pod("c"));
    rig.server.delete(pods, "shop", "a");
    await rig.clock.advance(2_000);
    rig.server.setState("up");
    await rig.clock.advance(30_000);
    expect(rig.folded.objects).toEqual(rig.truth);
    expect(rig.verbs("list")).toEqual([]);
    expect(rig.story.filter((each) => each === "listing")).toHaveLength(1);
    const resumed = rig.verbs("watch").slice(1);
    expect(resumed.map(({ query }) => query["resourceVersion"])).toEqual(["3"]);
  });

  test("[KU10] a watch that only had bookmarks resumes from the last of them", async () => {
    await using rig = new ReflectorRig();
    const nodes = { ...pods, resource: "nodes", kind: "Node", isNamespaced: false };
    rig.server.serve(nodes);
    rig.start();
    await rig.clock.advance(50);
    for (let count = 0; count < 10; count += 1) rig.server.put(nodes, { metadata: { name: `n${count}` } });
    await rig.clock.advance(60_000);
    rig.server.breakWatches("reset");
    await rig.clock.advance(5_000);
    expect(rig.requests.at(-1)?.query["resourceVersion"]).toBe("11");
  });

  test.each(["expire", "compact"] as const)(
    "[KU12] on 410 (%s) it lists again, and what went meanwhile is gone",
    async (how) => {
      await using rig = new ReflectorRig();
      rig.server.put(pods, pod("a"));
      rig.server.put(pods, pod("b"));
      rig.start();
      await rig.clock.advance(61_000);
      rig.server.setState("down");
      rig.server.delete(pods, "shop", "a");
      rig.server.compact();
      await rig.clock.advance(1_000);
      rig.server.setState("up");
      if (how === "expire") {
        await rig.clock.advance(10_000);
        rig.server.breakWatches("expire");
      }
      await rig.clock.advance(10_000);
      expect(rig.folded.objects).toEqual(rig.truth);
      expect(rig.folded.listedCount).toBe(how === "expire" ? 3 : 2);
      expect(rig.ofKind("failed").every(({ error }) => error.fault === "tcp")).toBe(true);
    },
  );

  test("[KU12] 410 as the answer itself, again and again, is told and slowed down", async () => {
    await using rig = new ReflectorRig();
    rig.start();
    await rig.clock.advance(100);
    rig.server.faults.add({ fault: { kind: "status", status: 410 }, matches: ({ verb }) => verb === "watch" });
    rig.server.breakWatches("end");
    await rig.clock.advance(60_000);
    expect(rig.requests.length).toBeLessThan(20);
    expect(rig.ofKind("failed").length).toBeGreaterThan(3);
  });

  test("[KU11][KU12] a page token that expired begins the list anew; the unfinished one removed nothing", async () => {
    await using rig = new ReflectorRig({ offersWatchList: false });
    for (const name of ["a", "b", "c", "d"]) rig.server.put(pods, pod(name));
    let isCompacted = false;
    rig.start(
      { pageSize: 2 },
      {
        sink: (event) => {
          if (event.kind !== "object" || isCompacted) return;
          isCompacted = true;
          rig.server.compact();
        },
      },
    );
    await rig.clock.advance(200);
    expect(rig.story.slice(0, 5)).toEqual(["listing", "object a", "object b", "listing", "object a"]);
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("[KU12][L4] a list that broke off removes nothing", async () => {
    await using rig = new ReflectorRig({ offersWatchList: false });
    for (const name of ["a", "b", "c", "d"]) rig.server.put(pods, pod(name));
    rig.start({ pageSize: 2 });
    await rig.clock.advance(200);
    const isNextPage = ({ query }: { query: Readonly<Record<string, string>> }): boolean => "continue" in query;
    const heal = rig.server.faults.add({ fault: { kind: "cutBody" }, matches: isNextPage });
    rig.server.delete(pods, "shop", "a");
    rig.server.compact();
    rig.server.breakWatches("expire");
    await rig.clock.advance(20_000);
    expect([...rig.folded.objects.keys()]).toEqual(expect.arrayContaining(["shop/c", "shop/d"]));
    expect(rig.folded.listedCount).toBe(1);
    heal();
    await rig.clock.advance(60_000);
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("[KU13] the server is asked to end a watch after 5 to 10 minutes, drawn; its end is no failure and no doubt", async () => {
    await using rig = new ReflectorRig();
    rig.start();
    await rig.clock.advance(3_600_000);
    const seconds = rig.verbs("watch").map(({ query }) => Number(query["timeoutSeconds"]));
    expect(seconds.length).toBeGreaterThan(5);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(600);
    expect(new Set(seconds).size).toBeGreaterThan(3);
    expect(rig.ofKind("failed")).toEqual([]);
    expect(rig.doubts).toEqual([]);
  });

  test("[KU13][R-8] a watch without a sign of life is broken off, told, and resumed where it was", async () => {
    await using rig = new ReflectorRig();
    rig.server.put(pods, pod("a"));
    rig.start({ watchSilenceMs: 150_000 });
    await rig.clock.advance(1_000);
    rig.server.breakWatches("silence");
    rig.server.put(pods, pod("b"));
    await rig.clock.advance(148_000);
    expect(rig.ofKind("failed")).toEqual([]);
    await rig.clock.advance(5_000);
    expect(rig.ofKind("failed")).toMatchObject([{ error: { fault: "timeout" } }]);
    expect(rig.doubts).toMatchObject([{ fault: "timeout" }]);
    expect(rig.folded.objects).toEqual(rig.truth);
    expect(rig.verbs("list")).toEqual([]);
  });

  test("[KU10][HE4] after an outage a watch that is answered and sends nothing is not taken for current: the kind is listed", async () => {
    await using rig = new ReflectorRig();
    rig.server.put(pods, pod("a"));
    rig.start({ watchSilenceMs: 150_000 });
    await rig.clock.advance(1_000);
    rig.server.setState("down");
    rig.server.put(pods, pod("b"));
    await rig.clock.advance(80_000);
    const undo = rig.server.faults.add({ fault: { kind: "silentWatch" }, matches: isResumed });
    const currentCount = rig.ofKind("current").length;
    rig.server.setState("up");
    await rig.clock.advance(40_000);
    undo();
    expect(rig.ofKind("listing")).toHaveLength(2);
    expect(rig.events.slice(rig.events.findLastIndex(({ kind }) => kind === "listing"))).toMatchObject([
      { kind: "listing" },
      { kind: "object" },
      { kind: "object" },
      { kind: "listed" },
      { kind: "current" },
    ]);
    expect(rig.ofKind("current")).toHaveLength(currentCount + 1);
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("[KU13][HE4] watches that are cut again and again and send nothing are silent together: the kind is not called current for longer", async () => {
    await using rig = new ReflectorRig();
    rig.start({ watchSilenceMs: 150_000 });
    await rig.clock.advance(1_000);
    const undo = rig.server.faults.add({ fault: { kind: "silentWatch" }, matches: isResumed });
    rig.server.put(pods, pod("a"));
    for (let cutCount = 0; cutCount < 3; cutCount += 1) {
      rig.server.breakWatches("end");
      await rig.clock.advance(50_000);
    }
    undo();
    await rig.clock.advance(60_000);
    expect(rig.ofKind("listing").length).toBeGreaterThan(1);
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("[U-66] an unchanged cluster costs no LIST and the same few requests, whatever it holds", async () => {
    const counts: number[] = [];
    for (const objectCount of [1, 500]) {
      await using rig = new ReflectorRig();
      for (let count = 0; count < objectCount; count += 1) rig.server.put(pods, pod(`p${count}`));
      rig.start();
      await rig.clock.advance(1_000);
      const before = rig.requests.length;
      await rig.clock.advance(3_600_000);
      counts.push(rig.requests.length - before);
      expect(rig.verbs("list")).toEqual([]);
    }
    expect(counts[0]).toBe(counts[1]);
    expect(counts[0]).toBeLessThanOrEqual(12);
  });

  test("a list that is due comes though the watch stands", async () => {
    await using rig = new ReflectorRig();
    rig.server.put(pods, pod("a"));
    rig.start({ relistIntervalMs: 1_000_000 });
    await rig.clock.advance(890_000);
    expect(rig.folded.listedCount).toBe(1);
    await rig.clock.advance(220_000);
    expect(rig.folded.listedCount).toBe(2);
    expect(rig.ofKind("failed")).toEqual([]);
    await rig.clock.advance(1_100_000);
    expect(rig.folded.listedCount).toBe(3);
  });
});
