// SPDX-License-Identifier: Apache-2.0
import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock, settle } from "../../base/manual-clock.ts";
import { silentMetrics } from "../../base/metrics.ts";
import { parseResourceId } from "../../model/gvr.ts";
import type { FlushFacts } from "../../session/hub/parsed-request.ts";
import type { FleetLog, FleetLogEngine, Flush } from "../../store/fleet-log.ts";
import { createInThreadPort } from "../../store/in-thread-port.ts";
import { MemoryFleetLog } from "../../store/memory/memory-fleet-log.ts";
import { ChangeFeed } from "./change-feed.ts";
import { createFleetCounters } from "./fleet-counters.ts";
import { Ingest, type IngestOutcome } from "./ingest.ts";
import { LogSizes } from "./log-sizes.ts";
import { PlainPicture } from "./plain-picture.ts";
import { hasher, plainCodec } from "./testing/test-fleet.ts";
import { encodeRows, makeRow } from "./testing/test-rows.ts";

/** More than two steps of work. */
const largeCount = 5_000;

/** A flush of so many rows of each kind. */
async function makeFlush(seq: number, counts: Readonly<Record<string, number>>): Promise<FlushFacts> {
  const parts = await Promise.all(
    Object.entries(counts).map(async ([resourceText, count]) => {
      const rows = Array.from({ length: count }, (_, at) =>
        makeRow("east", resourceText, { name: `one-${String(at).padStart(5, "0")}`, replicas: seq }),
      );
      const batch = await plainCodec.compress(encodeRows(resourceText, rows));
      return { resource: parseResourceId(resourceText), resourceText, replacedBucket: 0, batch };
    }),
  );
  return { seq, collectedMsAgo: 0, parts, sizeBytes: 0 };
}

/** Changes of a flush that became durable; -1 of another. */
function changeCountOf(outcome: IngestOutcome): number {
  return outcome.kind === "durable" ? outcome.kinds.reduce((sum, { changeCount }) => sum + changeCount, 0) : -1;
}

/** Ingest over a log whose appends are answered when the test says so. */
class Bench {
  readonly clock = new ManualClock();
  readonly picture = new PlainPicture(hasher);
  readonly feed = new ChangeFeed("feed");
  readonly appended: Flush[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly ingest: Ingest;

  constructor() {
    const log = createInThreadPort<FleetLogEngine>(new MemoryFleetLog({ clock: this.clock }));
    const fleetLog: FleetLog = new Proxy(log, {
      get: (target, name) => {
        if (name !== "append") return Reflect.get(target, name) as unknown;
        return async (flush: Flush) => {
          this.appended.push(flush);
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
          return target.append(flush);
        };
      },
    });
    const { clock, picture, feed } = this;
    const counters = createFleetCounters(silentMetrics);
    this.ingest = new Ingest({
      fleetLog,
      picture,
      feed,
      clock,
      codec: plainCodec,
      hasher,
      counters,
      sizes: new LogSizes(),
    });
  }

  take(cluster: string, flush: FlushFacts): ReturnType<Ingest["take"]> {
    const source = { cluster, shard: "", epoch: 1, incarnation: "inc" };
    return this.ingest.take(source, flush, new Set());
  }

  async answer(): Promise<void> {
    for (const resolve of this.#waiting.splice(0)) resolve();
    await settle();
  }

  counts(cluster: string): readonly number[] {
    return ["pods", "services"].map((resource) => this.picture.kindDigest(cluster, resource).rowCount);
  }
}

describe("ingest of a large flush", () => {
  let large: FlushFacts;
  let larger: FlushFacts;

  beforeAll(async () => {
    large = await makeFlush(1, { pods: largeCount, services: 10 });
    larger = await makeFlush(2, { pods: largeCount, services: 10 });
  });

  test("[N-27] [L2] it is worked on in steps that nobody sees, and becomes visible at once, after it is durable", async () => {
    const bench = new Bench();
    for (const [flush, before] of [
      [large, [0, 0]],
      [larger, [largeCount, 10]],
    ] as const) {
      const digest = bench.picture.kindDigest("east", "pods");
      const taken = bench.take("east", flush);
      let stepCount = 0;
      for (await settle(); bench.appended.length < flush.seq; await settle()) {
        expect(bench.counts("east")).toEqual(before);
        expect(bench.picture.kindDigest("east", "pods")).toEqual(digest);
        expect(bench.clock.runNext()).toBe(true);
        stepCount += 1;
      }
      expect(stepCount).toBeGreaterThan(2);
      expect(bench.counts("east")).toEqual(before);
      await bench.answer();
      expect(changeCountOf(await taken)).toBe(largeCount + 10);
      expect(bench.counts("east")).toEqual([largeCount, 10]);
      expect(bench.picture.kindDigest("east", "pods")).not.toEqual(digest);
      expect(bench.feed.cursor.position).toBe(flush.seq);
    }
  });

  test("[L14] a small flush of another cluster does not wait for its steps", async () => {
    const bench = new Bench();
    const slow = bench.take("east", large);
    const quick = bench.take("west", await makeFlush(1, { services: 3 }));
    await settle();
    await bench.answer();
    expect(changeCountOf(await quick)).toBe(3);
    expect(bench.counts("west")).toEqual([0, 3]);
    expect(bench.counts("east")).toEqual([0, 0]);
    await bench.clock.advance(1);
    await bench.answer();
    expect(await slow).toMatchObject({ kind: "durable" });
  });

  test("[N-28] parts of it that change nothing are not kept, and one that is not appended leaves no trace", async () => {
    const bench = new Bench();
    const first = bench.take("east", large);
    await bench.clock.advance(1);
    await bench.answer();
    await first;
    const again = bench.take("east", { ...large, seq: 2, parts: large.parts.slice(0, 1) });
    await bench.clock.advance(1);
    expect(bench.appended.at(-1)?.parts).toEqual([]);
    await bench.answer();
    expect(await again).toEqual({ kind: "durable", kinds: [] });
    const digest = bench.picture.kindDigest("east", "pods");
    const gap = bench.take("east", { ...larger, seq: 9 });
    await bench.clock.advance(1);
    expect(bench.appended.at(-1)?.parts.map(({ resource }) => resource)).toEqual(["pods", "services"]);
    await bench.answer();
    expect(await gap).toMatchObject({ kind: "refused", refusal: { reason: "outOfSequence" } });
    expect(bench.picture.kindDigest("east", "pods")).toEqual(digest);
    expect(bench.feed.cursor.position).toBe(1);
  });
});
