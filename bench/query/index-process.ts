// SPDX-License-Identifier: Apache-2.0
// Entry of the process in which the index is measured: it holds nothing else. Arguments: the fleet log, the number of
// rows that were asked for, the file for the answers that databases are compared with.
import { writeFileSync } from "node:fs";
import type { FleetIndex } from "../../src/hub/index/fleet-index.ts";
import { quantile } from "../support/promise.ts";
import { type ComparedAnswer, toCompared } from "./expected-answer.ts";
import { createFleetShape } from "./fleet-shape.ts";
import { createBenchIndex, threadCpuMs } from "./load-index.ts";
import { loadLog } from "./load-log.ts";
import { createRecordedQueries } from "./recorded-queries.ts";
import { createSpecialQueries, type SpecialQuery } from "./special-queries.ts";
import { askIndex, askProblems, summarizeTimes, type TimeSummary, timeQueries } from "./time-queries.ts";

/** What databases must answer too. */
export interface ExpectedAnswers {
  readonly recorded: readonly ComparedAnswer[];
  readonly special: readonly { readonly query: SpecialQuery; readonly answer: ComparedAnswer }[];
}

export interface SpecialTime {
  readonly name: string;
  readonly ms: number;
  readonly cpuMs: number;
}

export interface IndexFigures {
  readonly rowCount: number;
  readonly load: { readonly seconds: number; readonly cpuSeconds: number };
  readonly memory: IndexMemory;
  /** After the queries, with what they leave behind. */
  readonly memoryAfter: IndexMemory;
  readonly classes: Readonly<Record<string, TimeSummary>>;
  readonly specials: readonly SpecialTime[];
}

interface IndexMemory {
  readonly rssMib: number;
  readonly heapMib: number;
  /** Of the tables with their texts. */
  readonly tableMib: number;
  /** Of the distinct texts of each cluster, without what finds them. */
  readonly textMib: number;
}

/** Passes over the recorded queries that are counted. */
const passCount = 3;

/** Times of one special query; the best counts. */
const specialRunCount = 5;

const [logFile = "", wantedCount = "0", answersFile = ""] = process.argv.slice(2);
const mib = 1024 * 1024;

function measureMemory({ tables }: FleetIndex): IndexMemory {
  globalThis.gc?.();
  const clusters = tables.clusterIds();
  const tableBytes = clusters.reduce((sum, cluster) => sum + tables.size(cluster).bytes, 0);
  const textBytes = clusters.reduce((sum, cluster) => sum + (tables.get(cluster)?.texts.texts.byteCount ?? 0), 0);
  const { rss, heapUsed } = process.memoryUsage();
  return { rssMib: rss / mib, heapMib: heapUsed / mib, tableMib: tableBytes / mib, textMib: textBytes / mib };
}

/** The median of some runs. */
async function timeSpecial(name: string, run: () => Promise<unknown>): Promise<SpecialTime> {
  const times: [number, number][] = [];
  for (let at = 0; at < specialRunCount; at += 1) {
    const [startedMs, startedCpuMs] = [performance.now(), threadCpuMs()];
    await run();
    times.push([performance.now() - startedMs, threadCpuMs() - startedCpuMs]);
  }
  const median = (place: 0 | 1): number =>
    quantile(
      times.map((each) => each[place]).sort((a, b) => a - b),
      0.5,
    );
  return { name, ms: median(0), cpuMs: median(1) };
}

const shape = createFleetShape(Number(wantedCount));
const index = await createBenchIndex();
const [startedMs, startedCpu] = [performance.now(), process.cpuUsage()];
const rowCount = await loadLog(index, shape, logFile);
const { user, system } = process.cpuUsage(startedCpu);
const load = { seconds: (performance.now() - startedMs) / 1_000, cpuSeconds: (user + system) / 1e6 };
const memory = measureMemory(index);

const queries = createRecordedQueries(shape);
const times = await timeQueries(queries, passCount, (query) => askIndex(index, query));
const specialQueries = await createSpecialQueries(index);
const specials: SpecialTime[] = [];
for (const query of specialQueries) specials.push(await timeSpecial(query.name, () => askIndex(index, query, query)));
specials.push(await timeSpecial("problems", () => askProblems(index)));
const memoryAfter = measureMemory(index);

const recorded: ComparedAnswer[] = [];
for (const query of queries) recorded.push(toCompared(await askIndex(index, query)));
const special: { query: SpecialQuery; answer: ComparedAnswer }[] = [];
for (const query of specialQueries) special.push({ query, answer: toCompared(await askIndex(index, query, query)) });
const expected: ExpectedAnswers = { recorded, special };
writeFileSync(answersFile, JSON.stringify(expected));

const classes = Object.fromEntries(Array.from(times, ([name, each]) => [name, summarizeTimes(each)]));
const figures: IndexFigures = { rowCount, load, memory, memoryAfter, classes, specials };
process.send?.(figures);
await index.close();
process.disconnect?.();
