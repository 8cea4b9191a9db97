// SPDX-License-Identifier: Apache-2.0
// 500 live views of different users and queries beside 2,000 changed rows a second, in the thread of the index, against
// asking the same queries again. Time is that of a thread with a core of its own (processor time), whatever else the
// machine does. BENCH_CLUSTERS, BENCH_APPS (6.7 rows each, in each cluster), BENCH_VIEWS and BENCH_SECONDS change it.
import { serialize } from "node:v8";
import type { QueryViewer } from "../src/hub/index/query-runs.ts";
import { type LiveQuery, plainQuery } from "../src/hub/rows/fleet-queries.ts";
import { createHasher } from "../src/model/rows/hasher.ts";
import { ThreadClock, threadCpuMs } from "./live-views/thread-clock.ts";
import { ownerGroup, ViewedFleet } from "./live-views/viewed-fleet.ts";
import { quantile, reportPromise } from "./support/promise.ts";

const clusterCount = Number(process.env["BENCH_CLUSTERS"] ?? 300);
const appCount = Number(process.env["BENCH_APPS"] ?? 150);
const viewCount = Number(process.env["BENCH_VIEWS"] ?? 500);
const measuredMs = Number(process.env["BENCH_SECONDS"] ?? 15) * 1_000;
const [rowsPerSecond, rowsPerFlush] = [2_000, 8];
/** Opening all views at once takes their readers some seconds, and their updates are late for a while after it. */
const warmUpMs = 20_000;

/** Half of the views are those of users who see a few namespaces, half those of users who see everything. */
const userCount = Math.ceil(viewCount / 10);
const users = Array.from({ length: userCount }, (_, at) => `user-${at}`);

/** Questions of people who look after a fleet. */
const questions: readonly Omit<LiveQuery, "limit" | "position">[] = [
  { text: "status=unhealthy", sort: ["-created"], facets: ["cluster", "namespace"] },
  { text: "kind:Pod cluster:cluster-0*", sort: [], facets: ["status"] },
  { text: "kind:Pod label.team=cart", sort: ["status", "name"], facets: ["status", "cluster"] },
  { text: "kind:Deployment status!=healthy", sort: [], facets: ["namespace"] },
  { text: "kind:Pod field.restarts>20", sort: ["-field.restarts"], facets: [] },
];

interface View {
  readonly by: QueryViewer;
  readonly query: LiveQuery;
}

/** The limits differ, so that no two views share a result. */
function createView(at: number): View {
  const question = questions[at % questions.length];
  const user = users[Math.floor(at / questions.length) % users.length] ?? "";
  if (question === undefined) throw new Error("there are questions");
  const subject = at % 2 === 0 ? { user, groups: [] } : { user, groups: [ownerGroup] };
  const query = { ...question, limit: 30 + (Math.floor(at / 10) % 40), position: "" };
  return { by: { viewer: { kind: "user", subject }, clusters: undefined }, query };
}

const clock = new ThreadClock();
const hasher = await createHasher();
const fleet = new ViewedFleet({ hasher, clock, clusterCount, appCount, users, rowsPerFlush });
const { index } = fleet;

/** Runs what is asynchronous in the index to its end. */
async function run<Result>(work: Promise<Result>): Promise<Result> {
  const state = { isDone: false };
  const end = work.finally(() => {
    state.isDone = true;
  });
  end.catch(() => undefined); // it is awaited below
  while (!state.isDone) await clock.runUntil(clock.nowMs() + 1);
  return end;
}

/** Sends flushes at their times until it is stopped; late ones follow at once. */
function sendFlushes(): { readonly lateMs: () => number; readonly stop: () => void } {
  const [startMs, everyMs] = [clock.nowMs(), (1_000 * rowsPerFlush) / rowsPerSecond];
  let [count, isStopped] = [0, false];
  const dueMs = (): number => startMs + count * everyMs;
  const sendNext = (): void => {
    if (isStopped) return;
    void fleet.flush(count).then(() => {
      count += 1;
      clock.setTimer(Math.max(0, dueMs() - clock.nowMs()), sendNext);
    });
  };
  sendNext();
  return {
    lateMs: () => Math.max(0, clock.nowMs() - dueMs()),
    stop: () => {
      isStopped = true;
    },
  };
}

/** The processor time of some time that passes, as a part of it. */
async function measureShare(ms: number): Promise<number> {
  const [beganMs, beganCpuMs] = [clock.nowMs(), threadCpuMs()];
  await clock.runUntil(beganMs + ms);
  return (threadCpuMs() - beganCpuMs) / (clock.nowMs() - beganMs);
}

let updateCount = 0;
let gaps: number[] = [];

/** Reads a view for ever, as the thread does for a reader: updates are encoded. */
async function readView({ by, query }: View): Promise<never> {
  const { id } = await index.openView(by, query);
  let lastMs: number | undefined;
  for (;;) {
    const update = await index.nextUpdate(id);
    if (update === undefined) continue;
    serialize(update);
    updateCount += 1;
    if (lastMs !== undefined) gaps.push(clock.nowMs() - lastMs);
    lastMs = clock.nowMs();
  }
}

await run(fleet.load());
console.log(`${fleet.rowCount} rows in ${clusterCount} clusters`);
const flushes = sendFlushes();
await clock.runUntil(clock.nowMs() + 1_000);
const ingestShare = await measureShare(measuredMs / 3);

const views = Array.from({ length: viewCount }, (_, at) => createView(at));
const reading = views.map(readView);
/** A view that ends would make the others cheaper. */
const failures: unknown[] = [];
for (const each of reading) each.catch((reason: unknown) => failures.push(reason));
await clock.runUntil(clock.nowMs() + warmUpMs);
[updateCount, gaps, clock.longestMs] = [0, [], 0];
const share = await measureShare(measuredMs);
const [lateMs, longestMs] = [flushes.lateMs(), clock.longestMs];
flushes.stop();
if (failures.length > 0) throw new Error(`${failures.length} views ended`, { cause: failures[0] });
const liveUpdateMs = ((share - ingestShare) * measuredMs) / updateCount;

const beganMs = threadCpuMs();
for (const [at, { by, query }] of views.entries()) {
  const { text, limit, sort, facets } = query;
  serialize(await run(index.query(at + 1, { ...by, use: "live" }, { ...plainQuery, text, limit, sort, facets })));
}
const askedMs = (threadCpuMs() - beganMs) / views.length;
await index.close();

const sorted = gaps.toSorted((a, b) => a - b);
const bench = "live-views";
reportPromise({
  bench,
  what: `processor time of one update of a live view, ${viewCount} views, ${rowsPerSecond} changed rows/s, ${fleet.rowCount} rows`,
  ours: liveUpdateMs,
  unit: "ms",
  against: { kind: "peer", name: "asking the query again", value: askedMs },
  more: { updatesPerSecond: (updateCount * 1_000) / measuredMs },
});
reportPromise({
  bench,
  what: "share of the index thread that ingest and live views use together",
  ours: share * 100,
  unit: "%",
  against: { kind: "atMost", value: 75 },
  more: { ingestAlonePercent: ingestShare * 100, lateFlushMs: lateMs, longestStepMs: longestMs },
});
reportPromise({
  bench,
  what: "time from one update of a view to the next, median",
  ours: quantile(sorted, 0.5),
  unit: "ms",
  more: { p99Ms: quantile(sorted, 0.99) },
});
