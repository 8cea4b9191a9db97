// SPDX-License-Identifier: Apache-2.0
// Entry of the process of the open loop: queries and flushes come at their times, whether earlier ones are answered or
// not. The index is in a thread of its own, as in a hub. Arguments: the fleet log, the number of rows asked for.
import { FlotillaError } from "../../src/base/error.ts";
import { KeyedMutex } from "../../src/base/queues/keyed-mutex.ts";
import { openWorkerPort } from "../../src/base/worker-port.ts";
import type { FleetIndex } from "../../src/hub/index/fleet-index.ts";
import type { IndexPort } from "../../src/hub/index/index-port.ts";
import { MachineNoise } from "../support/machine-noise.ts";
import { quantile } from "../support/promise.ts";
import { createDeltaFlushes, type DeltaFlush } from "./delta-flushes.ts";
import { createFleetShape, nowMs } from "./fleet-shape.ts";
import { loadLog } from "./load-log.ts";
import { type ClassifiedQuery, createRecordedQueries } from "./recorded-queries.ts";
import { askIndex } from "./time-queries.ts";

export interface OpenLoopFigures {
  readonly mix: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly queryCount: number;
  /** Queries without an answer when the time was over. They count with the time that they had waited. */
  readonly unansweredCount: number;
  /** From its time until a flush is visible. */
  readonly flushP99Ms: number;
  readonly deltaCount: number;
  readonly noiseP99Ms: number;
}

const queriesPerSecond = 100;
const flushesPerSecond = 100;
/** 2,000 deltas a second. */
const rowsPerFlush = 20;
const seconds = 15;
/** Time after the last query for answers that are still missing. */
const graceMs = 5_000;

const [logFile = "", wantedCount = "0"] = process.argv.slice(2);
const shape = createFleetShape(Number(wantedCount));
const flushes = await createDeltaFlushes(shape, seconds * flushesPerSecond, rowsPerFlush);
const recorded = createRecordedQueries(shape);
const port = await openWorkerPort<FleetIndex>(new URL("./open-loop-worker.ts", import.meta.url), undefined);
await loadLog(port, shape, logFile);

/** Work that is started again and again. */
interface LoopedWork {
  start(serial: number): Promise<unknown>;
  /** Ends work that has not finished in time. */
  cancel(serial: number): Promise<unknown>;
}

/** Starts work at equal distances of time. Resolves with its delays from the planned times, sorted. */
async function runOpenLoop(
  perSecond: number,
  { start, cancel }: LoopedWork,
): Promise<{ readonly delaysMs: readonly number[]; readonly unfinishedCount: number }> {
  const startMs = performance.now();
  const dueMs = (serial: number): number => startMs + (serial * 1_000) / perSecond;
  const ends: (number | undefined)[] = [];
  const running: Promise<void>[] = [];
  for (let serial = 0; serial < perSecond * seconds; serial += 1) {
    const waitMs = dueMs(serial) - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    ends.push(undefined);
    running.push(
      start(serial).then(
        () => {
          ends[serial] = performance.now();
        },
        (reason: unknown) => {
          // Not answered, because others were before it.
          if (!(reason instanceof FlotillaError) || !unanswered.has(reason.code)) throw reason;
        },
      ),
    );
  }
  const grace = Promise.withResolvers<void>();
  const timer = setTimeout(grace.resolve, graceMs);
  await Promise.race([Promise.all(running), grace.promise]);
  clearTimeout(timer);
  const overMs = performance.now();
  const delaysMs = ends.map((end, serial) => (end ?? overMs) - dueMs(serial)).sort((a, b) => a - b);
  const unfinished = ends.flatMap((end, serial) => (end === undefined ? [serial] : []));
  await Promise.all(unfinished.map((serial) => cancel(serial)));
  await Promise.allSettled(running);
  return { delaysMs, unfinishedCount: unfinished.length };
}

/** What a query ends with if the index has more to do than it can. */
const unanswered: ReadonlySet<string> = new Set(["DEADLINE_EXCEEDED", "OVERLOADED"]);

/** Folds a flush as ingest does: prepared, then visible. Flushes of one cluster come one at a time. */
const turns = new KeyedMutex();
function fold(index: IndexPort, { cluster, parts }: DeltaFlush, position: number): Promise<void> {
  return turns.run(cluster, async () => {
    const outcome = await index.prepare(cluster, parts);
    if (outcome.kind === "refused") throw new Error(outcome.refusal.detail);
    await index.commit(cluster, { position, receivedAtMs: nowMs + position });
  });
}

async function measure(
  mix: string,
  queries: readonly ClassifiedQuery[],
  firstPosition: number,
): Promise<OpenLoopFigures> {
  for (const query of queries) await askIndex(port, query); // warm
  const noise = new MachineNoise();
  const [asked, folded] = await Promise.all([
    runOpenLoop(queriesPerSecond, {
      start: (serial) => {
        const query = queries[serial % queries.length];
        return query === undefined ? Promise.resolve() : askIndex(port, query, { id: serial });
      },
      cancel: (serial) => port.cancelQuery(serial),
    }),
    runOpenLoop(flushesPerSecond, {
      start: (serial) => {
        const flush = flushes[serial];
        return flush === undefined ? Promise.resolve() : fold(port, flush, firstPosition + serial);
      },
      cancel: () => Promise.resolve(), // folded in the end: the next loop begins without a backlog
    }),
  ]);
  return {
    mix,
    p50Ms: quantile(asked.delaysMs, 0.5),
    p99Ms: quantile(asked.delaysMs, 0.99),
    maxMs: asked.delaysMs.at(-1) ?? 0,
    queryCount: asked.delaysMs.length,
    unansweredCount: asked.unfinishedCount,
    flushP99Ms: quantile(folded.delaysMs, 0.99),
    deltaCount: flushes.length * rowsPerFlush,
    noiseP99Ms: noise.stop().noiseP99Ms,
  };
}

const postings = recorded.filter(({ queryClass }) => queryClass === "postings");
const figures = [
  await measure("cluster, namespace, kind, status, label", postings, 1_000_000),
  await measure("all recorded queries", recorded, 2_000_000),
];
process.send?.(figures);
await port.close();
process.disconnect?.();
