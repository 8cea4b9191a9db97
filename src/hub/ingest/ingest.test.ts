// SPDX-License-Identifier: Apache-2.0
import { beforeAll, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import type { Row } from "../../model/rows/row.ts";
import type { FlushFacts } from "../../session/hub/parsed-request.ts";
import { IngestDesk, makeFlush, makeFlushOf } from "../fleet/testing/ingest-desk.ts";
import { makeRow } from "../fleet/testing/test-rows.ts";
import type { IngestOutcome } from "./ingest.ts";

/** More than two steps of work. */
const largeCount = 5_000;

/** Changes of a flush that became durable; -1 of another. */
function changeCountOf(outcome: IngestOutcome): number {
  return outcome.kind === "durable" ? outcome.kinds.reduce((sum, { changeCount }) => sum + changeCount, 0) : -1;
}

describe("ingest of a large flush", () => {
  let large: FlushFacts;
  let larger: FlushFacts;

  beforeAll(async () => {
    large = await makeFlush(1, { pods: largeCount, services: 10 });
    larger = await makeFlush(2, { pods: largeCount, services: 10 });
  });

  test("[N-27] [L2] it is worked on in steps that nobody sees, and becomes visible at once, after it is durable", async () => {
    const desk = new IngestDesk();
    for (const [flush, before] of [
      [large, [0, 0]],
      [larger, [largeCount, 10]],
    ] as const) {
      const digest = desk.fleetRows.kindDigest("east", "pods");
      const taken = desk.take("east", flush);
      let stepCount = 0;
      for (await settle(); desk.appended.length < flush.seq; await settle()) {
        expect(desk.counts("east")).toEqual(before);
        expect(desk.fleetRows.kindDigest("east", "pods")).toEqual(digest);
        expect(desk.clock.runNext()).toBe(true);
        stepCount += 1;
      }
      expect(stepCount).toBeGreaterThan(2);
      expect(desk.counts("east")).toEqual(before);
      await desk.answer();
      expect(changeCountOf(await taken)).toBe(largeCount + 10);
      expect(desk.counts("east")).toEqual([largeCount, 10]);
      expect(desk.fleetRows.kindDigest("east", "pods")).not.toEqual(digest);
      expect(desk.feed.cursor.position).toBe(flush.seq);
    }
  });

  test("[L14] a small flush of another cluster does not wait for its steps", async () => {
    const desk = new IngestDesk();
    const slow = desk.take("east", large);
    const quick = desk.take("west", await makeFlush(1, { services: 3 }));
    await settle();
    await desk.answer();
    expect(changeCountOf(await quick)).toBe(3);
    expect(desk.counts("west")).toEqual([0, 3]);
    expect(desk.counts("east")).toEqual([0, 0]);
    await desk.clock.advance(1);
    await desk.answer();
    expect(await slow).toMatchObject({ kind: "durable" });
  });

  test("[N-28] parts of it that change nothing are not kept, and one that is not appended leaves no trace", async () => {
    const desk = new IngestDesk();
    const first = desk.take("east", large);
    await desk.clock.advance(1);
    await desk.answer();
    await first;
    const again = desk.take("east", { ...large, seq: 2, parts: large.parts.slice(0, 1) });
    await desk.clock.advance(1);
    expect(desk.appended.at(-1)?.parts).toEqual([]);
    await desk.answer();
    expect(await again).toEqual({ kind: "durable", kinds: [], objectCount: 5_000 });
    const digest = desk.fleetRows.kindDigest("east", "pods");
    const gap = desk.take("east", { ...larger, seq: 9 });
    await desk.clock.advance(1);
    expect(desk.appended.at(-1)?.parts.map(({ resource }) => resource)).toEqual(["pods", "services"]);
    await desk.answer();
    expect(await gap).toMatchObject({ kind: "refused", refusal: { reason: "outOfSequence" } });
    expect(desk.fleetRows.kindDigest("east", "pods")).toEqual(digest);
    expect(desk.feed.cursor.position).toBe(1);
  });
});

describe("ingest of a hostile flush", () => {
  test.each<[string, Partial<Row>, string]>([
    ["a generation below zero", { generation: -1 }, "generation"],
    ["a time beyond the calendar", { createdAt: 2 ** 53 - 1 }, "createdAt"],
    ["a namespace that is a path", { namespace: "a/b" }, "namespace"],
    ["a name that is a path", { name: "../../../etc" }, "name"],
    ["a label of one text, 2,000 times", { labels: longLabels() }, "bytes"],
  ])("[CO64] [SE4] one with %s is refused whole and changes nothing", async (_what, changes, fault) => {
    const desk = new IngestDesk();
    const row = makeRow("east", "pods", { name: "web" });
    const flush = await makeFlushOf(1, "pods", [makeRow("east", "pods", { name: "a" }), { ...row, ...changes }]);
    const outcome = await desk.take("east", flush);
    expect(outcome).toMatchObject({ kind: "refused", refusal: { reason: "malformed" } });
    expect(outcome.kind === "refused" && outcome.refusal.detail).toContain(fault);
    expect(desk.appended).toEqual([]);
    expect(desk.counts("east")).toEqual([0, 0]);
  });

  test("[CO67] one of few bytes whose rows share one long text is refused before it is expanded", async () => {
    const desk = new IngestDesk();
    const row = { ...makeRow("east", "pods", { name: "web" }), message: "x".repeat(60_000) };
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ ...row, name: `web-${String(at).padStart(5, "0")}` }));
    const taken = desk.take("east", await makeFlushOf(1, "pods", rows));
    await desk.clock.advance(1_000);
    expect(await taken).toMatchObject({ kind: "refused", refusal: { reason: "overLimit" } });
    expect(desk.appended).toEqual([]);
  });
});

function longLabels(): ReadonlyMap<string, string> {
  return new Map(Array.from({ length: 2_000 }, (_, at) => [`l${at}`, "v".repeat(1_000)]));
}
