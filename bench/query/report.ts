// SPDX-License-Identifier: Apache-2.0
import { quantile, reportPromise } from "../support/promise.ts";
import type { IndexFigures } from "./index-process.ts";
import type { OpenLoopFigures } from "./open-loop-process.ts";
import type { PeerFigures } from "./peers/peer-process.ts";

const bench = "query";
const mib = 1024 * 1024;

/** The classes of queries with the goal of their p99 in milliseconds. */
const goals = [
  { name: "postings", what: "cluster, namespace, kind, status, label", goalMs: 10 },
  { name: "rows", what: "age, numbers, ranges over all visible rows", goalMs: 25 },
  { name: "text", what: "parts of names, any case", goalMs: 100 },
] as const;

/** How much faster the index is to be than the best database where postings answer. */
const leastRatio = 50;

/** The figures of the index alone. */
export function reportIndex({ rowCount, load, memory, memoryAfter, classes }: IndexFigures): void {
  reportPromise({
    bench,
    what: `fold of ${rowCount} stored rows, rows a second of one core (all threads' time)`,
    ours: rowCount / load.cpuSeconds,
    unit: "rows/s",
    against: { kind: "atLeast", value: 100_000 },
    more: { seconds: load.seconds, cpuSeconds: load.cpuSeconds },
  });
  reportPromise({
    bench,
    what: `memory of ${rowCount} rows beyond their distinct texts`,
    ours: ((memoryAfter.tableMib - memoryAfter.textMib) * mib) / rowCount,
    unit: "bytes/row",
    against: { kind: "atMost", value: 150 },
    more: { textBytesPerRow: (memory.textMib * mib) / rowCount, tableMib: memoryAfter.tableMib },
  });
  reportPromise({
    bench,
    what: `RSS of a process with the index of ${rowCount} rows, after the queries`,
    ours: memoryAfter.rssMib,
    unit: "MiB",
    against: { kind: "atMost", value: 1.2 * 1024 },
    more: { beforeMib: memory.rssMib, heapMib: memoryAfter.heapMib },
  });
  for (const { name, what, goalMs } of goals) {
    const times = classes[name];
    if (times === undefined) continue;
    reportPromise({
      bench,
      what: `page of 50, total, 4 facets by ${what}: p99`,
      ours: times.p99Ms,
      unit: "ms",
      against: { kind: "atMost", value: goalMs },
      more: { p50Ms: times.p50Ms, p99CpuMs: times.p99CpuMs, p50CpuMs: times.p50CpuMs },
    });
  }
}

/** Queries and flushes that come at their times. */
export function reportOpenLoop(all: readonly OpenLoopFigures[]): void {
  for (const { mix, p99Ms, deltaCount: _, ...more } of all)
    reportPromise({
      bench,
      what: `open loop of 100 queries/s by ${mix}, with 2,000 deltas/s: p99 from the planned time`,
      ours: p99Ms,
      unit: "ms",
      against: { kind: "atMost", value: 30 },
      more,
    });
}

/** The databases beside the index. */
export function reportPeers(index: IndexFigures, peers: readonly PeerFigures[]): void {
  for (const { name, what } of goals) reportClass(name, what, index, peers);
  for (const special of index.specials)
    for (const peer of peers)
      reportPromise({
        bench,
        what: special.name === "problems" ? "problems; SQL only groups by kind, reason and app" : special.name,
        ours: special.ms,
        unit: "ms",
        against: { kind: "peer", name: peer.name, value: peer.specialMs[special.name] ?? Number.NaN },
        more: { cpuMs: special.cpuMs },
      });
  for (const { name, loadSeconds, sizeMib } of peers)
    reportPromise({ bench, what: `${name}: load and indexes`, ours: loadSeconds, unit: "s", more: { sizeMib } });
}

function reportClass(name: string, what: string, index: IndexFigures, peers: readonly PeerFigures[]): void {
  const ours = index.classes[name];
  if (ours === undefined) return;
  for (const [part, own] of [
    ["p50", ours.p50Ms],
    ["p99", ours.p99Ms],
  ] as const) {
    const all = peers.map((peer) => {
      const times = peer.classes[name] ?? { ms: [], endedCount: 0 };
      const value = quantile(times.ms, part === "p50" ? 0.5 : 0.99);
      return { name: peer.name, value, queryCount: times.ms.length, endedCount: times.endedCount };
    });
    for (const { name: peer, value, queryCount, endedCount } of all)
      reportPromise({
        bench,
        what: `by ${what}: ${part}`,
        ours: own,
        unit: "ms",
        against: { kind: "peer", name: peer, value },
        more: { queryCount, ...(endedCount === 0 ? {} : { endedAtLimitCount: endedCount }) },
      });
    const [best] = all.toSorted((a, b) => a.value - b.value);
    if (best === undefined) continue;
    reportPromise({
      bench,
      what: `times faster than ${best.name}, the best of them, by ${what}: ${part}`,
      ours: best.value / own,
      unit: "x",
      ...(name === "postings" ? { against: { kind: "atLeast", value: leastRatio } } : {}),
    });
  }
}
