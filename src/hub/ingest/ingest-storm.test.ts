// SPDX-License-Identifier: Apache-2.0
// How long a read of a healthy cluster waits while others come back, in rows of work that the thread does between two
// reads: what no clock can blur.
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { bytesPerFoldedRow } from "../../index/fold/flush-decoder.ts";
import { stepRowCount } from "../../index/table/apply-part.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { FlushFacts } from "../../session/hub/parsed-request.ts";
import { IngestDesk, makeFlush } from "../fleet/testing/ingest-desk.ts";
import { hasher } from "../fleet/testing/test-fleet.ts";
import { engineOf } from "../index/testing/in-thread-index.ts";

/** Work between two reads, in rows. */
class WorkMeter {
  readonly between: number[] = [];
  #count = 0;

  /** Counts what is decoded: every batch is checked once. */
  readonly hasher: Hasher = {
    hash64: (bytes) => {
      this.#count += Math.ceil(bytes.length / bytesPerFoldedRow);
      return hasher.hash64(bytes);
    },
  };

  /** Counts the rows of each step of a fold and of each commit. */
  watch({ index }: IngestDesk): void {
    const { tables } = engineOf(index);
    const prepare = tables.prepare.bind(tables);
    vi.spyOn(tables, "prepare").mockImplementation((cluster, parts, isExact) => {
      const fold = prepare(cluster, parts, isExact);
      const add = (count: number): void => {
        this.#count += count;
      };
      return {
        *steps() {
          let isFirst = true; // it begins with a turn, not with work
          for (const step of fold.steps()) {
            if (!isFirst) add(stepRowCount);
            isFirst = false;
            yield step;
          }
        },
        get changing() {
          return fold.changing;
        },
        get sizeAfter() {
          return fold.sizeAfter;
        },
        get commitRowCount() {
          return fold.commitRowCount;
        },
        commit: (place) => {
          add(fold.commitRowCount);
          return fold.commit(place);
        },
      };
    });
  }

  read({ index }: IngestDesk): void {
    engineOf(index).tables.getRow("healthy", "pods", { namespace: "default", name: "one-00000" });
    this.between.push(this.#count);
    this.#count = 0;
  }
}

/**
 * Work between two reads, least first. A reader comes after every timer. The log is slow: it answers everything at once
 * when nothing is left to do but wait for it, which is when the most becomes durable together.
 */
async function measureReads(flushes: readonly (readonly [string, FlushFacts])[]): Promise<readonly number[]> {
  const meter = new WorkMeter();
  const desk = new IngestDesk(meter.hasher);
  meter.watch(desk);
  const left = new Set(flushes.map(([cluster]) => cluster));
  for (const [cluster, flush] of flushes) void desk.take(cluster, flush).then(() => left.delete(cluster));
  do {
    if (!desk.clock.runNext()) await desk.answer();
    await settle();
    meter.read(desk);
  } while (left.size > 0);
  vi.restoreAllMocks();
  return meter.between.sort((a, b) => a - b);
}

const p99 = (sorted: readonly number[]): number => sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;

let small: FlushFacts;
let large: FlushFacts;

beforeAll(async () => {
  small = await makeFlush(1, { pods: 200 });
  large = await makeFlush(1, { pods: 5_000 });
});

afterEach(() => {
  vi.restoreAllMocks();
});

test("[R-34] [L14] a hundred clusters return and two flood: p99 of reads stays within twice what it is while one cluster works", async () => {
  const one = await measureReads([["busy", large]]);
  const returning = Array.from({ length: 100 }, (_, at) => [`back-${at}`, small] as const);
  const many = await measureReads([["flood", large], ...returning, ["flood-2", large]]);
  expect(many.reduce((sum, each) => sum + each)).toBeGreaterThan(10_000 + 100 * 200);
  expect(p99(many)).toBeLessThanOrEqual(2 * p99(one));
  expect(many.at(-1)).toBeLessThanOrEqual(stepRowCount);
});
