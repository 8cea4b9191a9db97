// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventTexts, listed, TestStorage } from "../../../test/support/api-storage.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import type { Store } from "../../store/store.ts";

// Two logical clusters in one store: "busy" writes, "quiet" does not.

let busy: TestStorage;
let quiet: TestStorage;
/**
 * How often the watch that follows the store for the quiet cluster has begun to wait: once more each time it is woken.
 */
let quietWaitCount = 0;

beforeAll(async () => {
  busy = await TestStorage.open({ cluster: "busy" });
  const store = countingWaits(busy.store, () => {
    quietWaitCount += 1;
  });
  quiet = await TestStorage.open({ cluster: "quiet", over: busy, store });
  await quiet.put({ name: "kept" });
});

afterAll(async () => {
  await quiet[Symbol.asyncDispose]();
  await busy[Symbol.asyncDispose]();
});

/** The store, with a count of the waits of its watches. */
function countingWaits(store: Store, onWait: () => void): Store {
  const watch: Store["watch"] = (table, options) =>
    store.watch(table, {
      ...options,
      progress: {
        get wanted() {
          return options.progress?.wanted;
        },
        onWanted(wake) {
          onWait();
          return options.progress?.onWanted(wake) ?? (() => undefined);
        },
      },
    });
  return new Proxy(store, {
    get(target, name): unknown {
      if (name === "watch") return watch;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Commits of the busy cluster. Gives how often the quiet cluster was woken meanwhile. */
async function wakesOfQuietDuring(commitCount: number): Promise<number> {
  const before = quietWaitCount;
  for (let index = 0; index < commitCount; index += 1)
    await busy.put({ name: "counter", value: `${commitCount}.${index}` });
  await settle();
  return quietWaitCount - before;
}

test("[AP40] 100 commits in one logical cluster wake no watch of another", async () => {
  await using watch = quiet.watch("resourceVersion=0");
  expect(eventTexts(await watch.read())).toEqual([`ADDED kept@${await keptVersion()}`]);
  const reached = quiet.cache.revision;
  expect(await wakesOfQuietDuring(100)).toBe(0);
  expect(quiet.cache.revision).toBe(reached);
  expect(await watch.read()).toEqual([]);
  expect(busy.cache.revision).toBe(busy.revision);
});

test("[AP40, AP9] a bookmark of a logical cluster without changes names the newest revision of the store", async () => {
  await using watch = quiet.watch("resourceVersion=0&allowWatchBookmarks=true");
  await watch.read();
  for (let minute = 0; minute < 3; minute += 1) {
    await wakesOfQuietDuring(10);
    await quiet.clock.advance(66_000);
    expect(eventTexts(await watch.read())).toEqual([`BOOKMARK@${quiet.revision}`]);
  }
  await quiet.put({ name: "late" });
  expect(eventTexts(await watch.read())).toEqual([`ADDED late@${quiet.revision}`]);
  await quiet.remove("late");
});

test("[AP40] the cache of a logical cluster that nothing asks learns the newest revision at its bookmark interval", async () => {
  await wakesOfQuietDuring(10);
  expect(quiet.cache.revision).toBeLessThan(quiet.revision);
  await quiet.clock.advance(60_000);
  expect(quiet.cache.revision).toBe(quiet.revision);
});

test("[AP40] a list without a version, or of version 0, shows the newest revision, though foreign commits came last", async () => {
  const kept = `kept@${await keptVersion()}`;
  for (const query of ["", "resourceVersion=0"]) {
    await wakesOfQuietDuring(5);
    const page = await quiet.page(query);
    expect([page.revision, listed(page)]).toEqual([quiet.revision, [kept]]);
  }
});

test("[AP40] a list of an exact version shows that moment, and one not older than it may show a later one", async () => {
  const kept = `kept@${await keptVersion()}`;
  const past = quiet.revision;
  await wakesOfQuietDuring(5);
  const newer = await quiet.page(`resourceVersion=${past}&resourceVersionMatch=NotOlderThan`);
  expect(newer.revision).toBeGreaterThanOrEqual(past);
  const exact = await quiet.page(`resourceVersion=${past}&resourceVersionMatch=Exact`);
  expect([exact.revision, listed(exact)]).toEqual([past, [kept]]);
  expect(listed(newer)).toEqual([kept]);
});

test("[AP40] a list not older than a foreign commit is answered once that is committed", async () => {
  await wakesOfQuietDuring(1);
  const newest = quiet.revision;
  expect((await quiet.page(`resourceVersion=${newest}&resourceVersionMatch=NotOlderThan`)).revision).toBe(newest);
  const future = quiet.page(`resourceVersion=${newest + 3}&resourceVersionMatch=NotOlderThan`);
  await settle();
  await wakesOfQuietDuring(3);
  expect((await future).revision).toBe(newest + 3);
});

test("[AP40] a list not older than a revision that nothing commits is refused after three seconds", async () => {
  const refused = expect(
    quiet.page(`resourceVersion=${quiet.revision + 5}&resourceVersionMatch=NotOlderThan`),
  ).rejects.toMatchObject({
    message: `Timeout: Too large resource version: ${quiet.revision + 5}, current: ${quiet.revision}`,
  });
  await settle();
  await quiet.clock.advance(3000);
  await refused;
});

test("[AP40] initial events end with a bookmark of the newest revision, though foreign commits came last", async () => {
  const version = await keptVersion();
  await wakesOfQuietDuring(7);
  const query = "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
  await using watch = quiet.watch(query);
  expect(eventTexts(await watch.read())).toEqual([`ADDED kept@${version}`, `BOOKMARK@${quiet.revision}`]);
});

test("[AP40] a watch resumed from a foreign revision gets every later change once", async () => {
  await wakesOfQuietDuring(3);
  const from = quiet.revision;
  await using watch = quiet.watch(`resourceVersion=${from}`);
  await wakesOfQuietDuring(3);
  const first = await quiet.put({ name: "first" });
  await wakesOfQuietDuring(3);
  const second = await quiet.put({ name: "second" });
  expect(eventTexts(await watch.read())).toEqual([`ADDED first@${first}`, `ADDED second@${second}`]);
  await quiet.remove("first");
  await quiet.remove("second");
});

async function keptVersion(): Promise<number> {
  const { items } = await quiet.page();
  return items.find(({ name }) => name === "kept")?.revision ?? 0;
}
