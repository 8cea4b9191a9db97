// SPDX-License-Identifier: Apache-2.0
// The small case with one fault at a time, where the outcome can be said beforehand.
import { expect, test } from "vitest";
import { simulate } from "../support/sim/simulate.ts";
import { settleAndCheck, startCast, windowBytes } from "./watch/scenario.ts";
import { reconnect } from "./watch/watcher.ts";

const calm = { writeCount: 60, faultsMs: 0 };

test("[L13] a reader that is far too slow costs one window, holds up no writer and no other reader, and misses nothing", async () => {
  const { result } = await simulate(1, async (world) => {
    const cast = startCast(world, calm);
    const [slow, quick] = cast.clients;
    if (slow === undefined || quick === undefined) throw new Error("two clients are there");
    await world.run(500);
    cast.network.setReadDelay(slow.name, 2_000);
    let mostUnreadBytes = 0;
    const isQuickDone = (): boolean => {
      const unread = cast.network.streams.map((stream) => stream.server.unackedBytes);
      mostUnreadBytes = Math.max(mostUnreadBytes, ...unread);
      return (
        quick.writer.isDone &&
        quick.watcher.picture?.position === BigInt(quick.writer.acknowledged.at(-1)?.revision ?? 0)
      );
    };
    const startMs = world.clock.nowMs();
    await world.runUntil("the quick client is done", isQuickDone, 30_000);
    const tookMs = world.clock.nowMs() - startMs;
    const behind = Number(quick.watcher.picture?.position ?? 0n) - Number(slow.watcher.picture?.position ?? 0n);
    cast.network.setReadDelay(slow.name, 0);
    await world.runUntil("all writes are answered", () => slow.writer.isDone, 120_000);
    return { violations: await settleAndCheck(cast), mostUnreadBytes, tookMs, behind };
  });
  expect(result.violations).toEqual([]);
  expect(result.mostUnreadBytes).toBeLessThanOrEqual(windowBytes);
  expect(result.mostUnreadBytes).toBeGreaterThan(windowBytes / 2);
  expect(result.behind).toBeGreaterThan(20);
  // 60 writes with their pauses; each would have waited 2 s had it waited for the slow reader.
  expect(result.tookMs).toBeLessThan(20_000);
});

test("[L12] after an hour without the hub both clients are back within one dial and one longest pause", async () => {
  const { result } = await simulate(1, async (world) => {
    const cast = startCast(world, calm);
    await world.run(2_000);
    cast.hub.crash("machine");
    await world.run(3_600_000);
    cast.hub.restart();
    const before = cast.clients.map(({ watcher, writer }) => [watcher.observations.length, writer.acknowledged.length]);
    const isBack = (): boolean =>
      cast.clients.every(
        ({ watcher, writer }, index) =>
          watcher.observations.length > (before[index]?.[0] ?? 0) &&
          writer.acknowledged.length > (before[index]?.[1] ?? 0),
      );
    await world.runUntil("both are back", isBack, 4_000 + reconnect.capMs + 1_500);
    await world.runUntil("all writes are answered", () => cast.clients.every(({ writer }) => writer.isDone), 60_000);
    return settleAndCheck(cast);
  });
  expect(result).toEqual([]);
});
