// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { ChangeFeed, type KeptChanges } from "./change-feed.ts";
import type { FlushChanges } from "./fleet-reader.ts";

function changesOf(...names: readonly string[]): KeptChanges {
  const changes = names.map((name) => {
    return { kind: "added", resource: "pods", namespace: "default", name, uid: "" } as const;
  });
  return { length: names.length, sizeBytes: 100 + 100 * names.length, list: () => changes };
}

async function take(reading: AsyncGenerator<FlushChanges>, count: number): Promise<readonly string[]> {
  const names: string[] = [];
  while (names.length < count) {
    const { value, done } = await reading.next();
    if (done === true) break;
    names.push(...value.changes.map(({ name }) => name));
  }
  return names;
}

describe("change feed", () => {
  const signal = new AbortController().signal;

  test("[L1] a reader that comes back goes on from its position: nothing is missed, nothing comes twice", async () => {
    const feed = new ChangeFeed("feed");
    const start = feed.cursor;
    feed.push("east", 1, changesOf("a", "b"));
    const first = await feed.read(start, signal).next();
    expect(first.value).toMatchObject({ position: 1, cluster: "east", changes: [{ name: "a" }, { name: "b" }] });
    feed.push("west", 2, changesOf("c"));
    expect(await take(feed.read({ feedId: "feed", position: 1 }, signal), 1)).toEqual(["c"]);
    expect(await take(feed.read(start, signal), 3)).toEqual(["a", "b", "c"]);
    expect(feed.oldest).toEqual(start);
  });

  test("a reader waits for what comes, and ends when its signal aborts", async () => {
    const feed = new ChangeFeed("feed");
    const stop = new AbortController();
    const reading = feed.read(feed.cursor, stop.signal);
    const next = reading.next();
    feed.push("east", 1, changesOf("a"));
    expect((await next).value).toMatchObject({ changes: [{ name: "a" }] });
    const last = reading.next();
    stop.abort(new Error("done"));
    expect(await last).toEqual({ done: true, value: undefined });
  });

  test("reads back from a position, the newest first, as far as it is kept", () => {
    const feed = new ChangeFeed("feed", 1_000);
    const back = (upTo: number): string[] =>
      Array.from(feed.readBack(upTo), ({ position, changes }) => `${position} ${changes[0]?.name}`);
    expect(back(0)).toEqual([]);
    for (let count = 1; count <= 20; count += 1) feed.push("east", 1, changesOf(`pod-${count}`));
    expect(back(20)).toEqual(["20 pod-20", "19 pod-19", "18 pod-18", "17 pod-17", "16 pod-16"]);
    expect(back(18)).toEqual(["18 pod-18", "17 pod-17", "16 pod-16"]);
    expect([back(99).length, back(15), back(0)]).toEqual([5, [], []]);
  });

  test("[L13] what is kept is bounded in bytes; who falls behind it is told GONE, never left out in silence", async () => {
    const feed = new ChangeFeed("feed", 2_000);
    const slow = feed.read(feed.cursor, signal);
    feed.push("east", 1, changesOf("first"));
    await slow.next();
    for (let count = 0; count < 100; count += 1) {
      feed.push("east", 1, changesOf(`pod-${count}`));
      expect(feed.keptBytes).toBeLessThanOrEqual(2_000);
    }
    await expect(slow.next()).rejects.toMatchObject({ code: "GONE" });
    expect((await take(feed.read(feed.oldest, signal), 5)).at(0)).toMatch(/^pod-9/);
    feed.push("east", 1, changesOf(...Array.from({ length: 100 }, (_, at) => `large-${at}`)));
    expect(feed.keptBytes).toBe(0);
    await expect(feed.read({ feedId: "feed", position: 100 }, signal).next()).rejects.toMatchObject({ code: "GONE" });
  });

  test("a position of another start of the hub, or of the future, is GONE", async () => {
    const feed = new ChangeFeed("feed");
    for (const cursor of [
      { feedId: "other", position: 0 },
      { feedId: "feed", position: 1 },
    ])
      await expect(feed.read(cursor, signal).next()).rejects.toMatchObject({ code: "GONE" });
  });

  test("a flush that changes nothing takes no position", () => {
    const feed = new ChangeFeed("feed");
    feed.push("east", 1, changesOf());
    expect(feed.cursor.position).toBe(0);
  });
});
