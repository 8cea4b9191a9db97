// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { eventTexts, TestStorage } from "../../../test/support/api-storage.ts";

const minuteMs = 60_000;
const initialEvents = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

describe("where a watch begins", () => {
  test("without a resourceVersion it sends the existing objects in order, then changes", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "b" });
    await storage.put({ name: "a" });
    await using watch = storage.watch();
    expect(eventTexts(await watch.read())).toEqual(["ADDED a@2", "ADDED b@1"]);
    await storage.put({ name: "b", value: "new" });
    await storage.remove("a");
    expect(eventTexts(await watch.read())).toEqual(["MODIFIED b@3", "DELETED a@4"]);
  });

  test("version 0 begins as no version does", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "a" });
    await using watch = storage.watch("resourceVersion=0");
    expect(eventTexts(await watch.read())).toEqual(["ADDED a@1"]);
  });

  test("[AP7] from a resourceVersion it sends later changes", async () => {
    await using storage = await TestStorage.open();
    for (const name of ["a", "b", "c"]) await storage.put({ name });
    await using watch = storage.watch("resourceVersion=1");
    expect(eventTexts(await watch.read())).toEqual(["ADDED b@2", "ADDED c@3"]);
  });

  test("[AP10] at a version of the future it is silent until later ones come", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "a" });
    await using watch = storage.watch("resourceVersion=3");
    expect(await watch.read()).toEqual([]);
    for (const name of ["b", "c", "d"]) await storage.put({ name });
    expect(eventTexts(await watch.read())).toEqual(["ADDED d@4"]);
  });

  test("a resource that has no objects yet can be watched", async () => {
    await using storage = await TestStorage.open();
    await using watch = storage.watch();
    expect(await watch.read()).toEqual([]);
    await storage.put({ name: "first" });
    expect(eventTexts(await watch.read())).toEqual(["ADDED first@1"]);
  });

  test("[AP10] a version that has left the window is answered by an ERROR event of 410 and the end", async () => {
    await using storage = await TestStorage.open({ windowBytes: 2000 });
    for (let index = 0; index < 20; index += 1) await storage.put({ name: "a", value: `${index}` });
    await using watch = storage.watch("resourceVersion=1");
    expect(await watch.read()).toMatchObject([
      {
        type: "ERROR",
        object: {
          kind: "Status",
          code: 410,
          reason: "Expired",
          message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/) as string,
        },
      },
    ]);
    expect(watch.isDone).toBe(true);
  });

  test("more state than fits a chunk comes whole", async () => {
    await using storage = await TestStorage.open();
    const names = Array.from({ length: 300 }, (_, index) => `o${String(index).padStart(3, "0")}`);
    await Promise.all(names.map((name) => storage.put({ name })));
    await using watch = storage.watch();
    expect((await watch.readChunk())?.length).toBe(128);
    await storage.remove("o299");
    const events = await watch.read();
    expect(events.map(({ type }) => type)).toEqual([...Array.from({ length: 172 }, () => "ADDED"), "DELETED"]);
  });

  test("large objects come a few at a time, so that a slow reader holds little", async () => {
    await using storage = await TestStorage.open();
    for (let index = 0; index < 9; index += 1) await storage.put({ name: `o${index}`, value: "x".repeat(100_000) });
    await using watch = storage.watch();
    const counts: number[] = [];
    for (let chunk = await watch.readChunk(); chunk !== undefined; chunk = await watch.readChunk())
      counts.push(chunk.length);
    expect(counts).toEqual([3, 3, 3]);
  });
});

describe("a watch that asks for initial events", () => {
  test("[AP9] gets the initial events, their bookmark, then changes", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "b" });
    await storage.put({ name: "a" });
    await storage.remove("b");
    await using watch = storage.watch(initialEvents);
    const events = await watch.read();
    expect(eventTexts(events)).toEqual(["ADDED a@2", "BOOKMARK@3"]);
    expect(events[1]?.object).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { resourceVersion: "3", annotations: { "k8s.io/initial-events-end": "true" } },
    });
    await storage.put({ name: "c" });
    expect(eventTexts(await watch.read())).toEqual(["ADDED c@4"]);
  });

  test("gets an error event if a future resourceVersion is not reached", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "a" });
    await using watch = storage.watch(`${initialEvents}&resourceVersion=99`);
    expect(await watch.read()).toEqual([]);
    await storage.clock.advance(3000);
    const message = "Timeout: Too large resource version: 99, current: 1";
    expect(await watch.read()).toMatchObject([{ type: "ERROR", object: { code: 504, reason: "Timeout", message } }]);
    expect(watch.isDone).toBe(true);
  });

  test("gets the bookmark also where nothing is there", async () => {
    await using storage = await TestStorage.open();
    await using watch = storage.watch(initialEvents);
    expect(eventTexts(await watch.read())).toEqual(["BOOKMARK@0"]);
  });

  test("a change while the state is read comes after the bookmark of the state", async () => {
    await using storage = await TestStorage.open();
    const names = Array.from({ length: 200 }, (_, index) => `o${index}`);
    await Promise.all(names.map((name) => storage.put({ name })));
    await using watch = storage.watch(initialEvents);
    await watch.readChunk();
    await storage.put({ name: "o0", value: "new" });
    expect(eventTexts(await watch.read()).slice(-2)).toEqual(["BOOKMARK@200", "MODIFIED o0@201"]);
  });

  test("without bookmarks there is none, not even the one that ends the state", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "a" });
    await using watch = storage.watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
    expect(eventTexts(await watch.read())).toEqual(["ADDED a@1"]);
  });

  test("sendInitialEvents=false begins with what comes next", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "a" });
    await using watch = storage.watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
    expect(await watch.read()).toEqual([]);
    await storage.put({ name: "b" });
    expect(eventTexts(await watch.read())).toEqual(["ADDED b@2"]);
  });
});

describe("selectors", () => {
  test("[AP8] an object that begins or ceases to be selected is added or deleted, with the version of the change", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "a", labels: { app: "other" } });
    await using watch = storage.watch("labelSelector=app%3Dweb");
    expect(await watch.read()).toEqual([]);
    await storage.put({ name: "a", labels: { app: "web" } });
    await storage.put({ name: "a", labels: { app: "web" }, value: "2" });
    await storage.put({ name: "a", labels: { app: "other" }, value: "3" });
    await storage.put({ name: "a", labels: { app: "other" }, value: "4" });
    await storage.remove("a");
    const events = await watch.read();
    expect(eventTexts(events)).toEqual(["ADDED a@2", "MODIFIED a@3", "DELETED a@4"]);
    // The object as it last was while it was selected.
    expect(events[2]?.object).toMatchObject({ metadata: { labels: { app: "web" } }, data: { value: "2" } });
  });

  test("[AP8] a deletion is sent for selected objects only, with its own resourceVersion", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "a", labels: { app: "web" } });
    await storage.put({ name: "b" });
    await using watch = storage.watch("resourceVersion=2&labelSelector=app");
    await storage.remove("b");
    await storage.remove("a");
    await storage.put({ name: "a", labels: { app: "web" } });
    expect(eventTexts(await watch.read())).toEqual(["DELETED a@4", "ADDED a@5"]);
  });

  test("a namespace and a name leave out all others", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "a", namespace: "n" });
    await using inNamespace = storage.watch("", "n");
    await using named = storage.watch("resourceVersion=0&fieldSelector=metadata.name%3Da");
    const atFirst = eventTexts(await named.read());
    await storage.put({ name: "a", namespace: "m" });
    await storage.put({ name: "b", namespace: "n" });
    expect(eventTexts(await inNamespace.read())).toEqual(["ADDED a@1", "ADDED b@3"]);
    expect([...atFirst, ...eventTexts(await named.read())]).toEqual(["ADDED a@1", "ADDED a@2"]);
  });
});

describe("bookmarks", () => {
  test("[AP9] come about once a minute of silence, with the newest version though nothing watched changed", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "a", namespace: "n" });
    await using watch = storage.watch("allowWatchBookmarks=true&resourceVersion=1", "n");
    await storage.put({ name: "elsewhere", namespace: "m" });
    await watch.read();
    const toldAtMs: number[] = [0];
    for (let second = 1; second <= 600; second += 1) {
      await storage.clock.advance(1000);
      for (const text of eventTexts(await watch.read())) {
        expect(text).toBe("BOOKMARK@2");
        toldAtMs.push(storage.clock.nowMs());
      }
    }
    expect(toldAtMs.length).toBeGreaterThanOrEqual(10);
    const gaps = toldAtMs.slice(1).map((atMs, index) => atMs - (toldAtMs[index] ?? 0));
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(0.88 * minuteMs);
      expect(gap).toBeLessThanOrEqual(1.12 * minuteMs);
    }
  });

  test("are put off by events, and not sent to those who do not want them", async () => {
    await using storage = await TestStorage.open();
    await using watch = storage.watch("allowWatchBookmarks=true");
    await using plain = storage.watch();
    for (const name of ["a", "b", "c"]) {
      await watch.read();
      await storage.clock.advance(0.8 * minuteMs);
      await storage.put({ name });
      expect(eventTexts(await watch.read())).toEqual([`ADDED ${name}@${storage.revision}`]);
    }
    await storage.clock.advance(10 * minuteMs);
    expect(eventTexts(await plain.read())).toEqual(["ADDED a@1", "ADDED b@2", "ADDED c@3"]);
  });

  test("[AP9] never go back, also at a version of the future", async () => {
    await using storage = await TestStorage.open();
    await storage.put({ name: "a" });
    await using watch = storage.watch("allowWatchBookmarks=true&resourceVersion=50");
    await watch.read();
    await storage.clock.advance(1.2 * minuteMs);
    expect(eventTexts(await watch.read())).toEqual(["BOOKMARK@50"]);
  });

  test("[AP9] the last one comes shortly before the end, and then the end", async () => {
    await using storage = await TestStorage.open();
    await using watch = storage.watch("allowWatchBookmarks=true&timeoutSeconds=10");
    await storage.put({ name: "a" });
    await watch.read();
    await storage.clock.advance(7_900);
    expect(await watch.read()).toEqual([]);
    await storage.clock.advance(200);
    expect(eventTexts(await watch.read())).toEqual(["BOOKMARK@1"]);
    expect(watch.isDone).toBe(false);
    await storage.clock.advance(2_000);
    expect(await watch.read()).toEqual([]);
    expect(watch.isDone).toBe(true);
  });
});

describe("the end of a watch", () => {
  test("one that names no time ends after 30 to 60 minutes", async () => {
    await using storage = await TestStorage.open();
    await using watch = storage.watch();
    await watch.read();
    await storage.clock.advance(30 * minuteMs - 1);
    await watch.read();
    expect(watch.isDone).toBe(false);
    await storage.clock.advance(30 * minuteMs + 1);
    await watch.read();
    expect(watch.isDone).toBe(true);
  });

  test("[AP11] a reader so slow that its place has left the window is ended; before that it misses nothing", async () => {
    await using storage = await TestStorage.open({ windowBytes: 20_000 });
    await using slow = storage.watch("resourceVersion=0");
    await using steady = storage.watch("resourceVersion=0");
    await slow.readChunk();
    const steadyEvents: string[] = [];
    for (let index = 0; index < 200; index += 1) {
      await storage.put({ name: "a", value: `${index}` });
      if (index % 10 === 0) steadyEvents.push(...eventTexts(await steady.read()));
    }
    steadyEvents.push(...eventTexts(await steady.read()));
    expect(steadyEvents).toEqual([
      "ADDED a@1",
      ...Array.from({ length: 199 }, (_, index) => `MODIFIED a@${index + 2}`),
    ]);
    await slow.read();
    expect(slow.isDone).toBe(true);
    expect(steady.isDone).toBe(false);
  });

  test("a client that has gone leaves neither timer nor listener", async () => {
    await using storage = await TestStorage.open();
    const timerCount = storage.clock.timerCount;
    {
      await using watch = storage.watch("allowWatchBookmarks=true");
      await watch.read();
      expect(storage.clock.timerCount).toBe(timerCount + 1);
    }
    expect(storage.clock.timerCount).toBe(timerCount);
  });
});
