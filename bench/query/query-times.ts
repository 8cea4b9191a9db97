// SPDX-License-Identifier: Apache-2.0
// `node bench/query/query-times.ts`: the figures of our own queries alone, without peers. BENCH_ROWS, BENCH_PASSES;
// BENCH_SLOWEST=10 lists the slowest queries.
import { quantile } from "../support/promise.ts";
import { createFleetShape, fullRowCount } from "./fleet-shape.ts";
import { createBenchIndex, loadFleet, threadCpuMs } from "./load-index.ts";
import { createRecordedQueries } from "./recorded-queries.ts";
import { askIndex, summarizeTimes, timeQueries } from "./time-queries.ts";

const rowCount = Number(process.env["BENCH_ROWS"] ?? fullRowCount);
const passCount = Number(process.env["BENCH_PASSES"] ?? 3);
const slowestCount = Number(process.env["BENCH_SLOWEST"] ?? 0);

const shape = createFleetShape(rowCount);
const queries = createRecordedQueries(shape);
const index = await createBenchIndex();
const startedMs = performance.now();
console.log(`${await loadFleet(index, shape)} rows after ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
const cpuMsOf = new Map<string, number[]>();
const times = await timeQueries(queries, passCount, async (query) => {
  const fromMs = threadCpuMs();
  const { total } = await askIndex(index, query);
  const key = `${query.queryClass} ${query.text} (${total})`;
  cpuMsOf.set(key, [...(cpuMsOf.get(key) ?? []), threadCpuMs() - fromMs]);
});
console.table(Object.fromEntries(Array.from(times, ([name, each]) => [name, summarizeTimes(each)])));
const slowest = Array.from(
  cpuMsOf,
  ([key, ms]) =>
    [
      quantile(
        ms.toSorted((a, b) => a - b),
        0.5,
      ),
      key,
    ] as const,
)
  .toSorted(([a], [b]) => b - a)
  .slice(0, slowestCount);
for (const [ms, key] of slowest) console.log(ms.toFixed(1), key);
await index.close();
