// SPDX-License-Identifier: Apache-2.0
import type { FleetIndex } from "../../src/hub/index/fleet-index.ts";
import type { QueryViewer } from "../../src/hub/index/query-runs.ts";
import type { FleetQueryAnswer } from "../../src/hub/rows/fleet-queries.ts";
import { quantile } from "../support/promise.ts";
import { benchUser } from "./fleet-shape.ts";
import { type ClassifiedQuery, type QueryClass, queryClasses, type RecordedQuery } from "./recorded-queries.ts";

/** The four facets of every query. */
export const facetFields = ["cluster", "namespace", "kind", "status"] as const;

export const pageSize = 50;

const by: QueryViewer = { viewer: { kind: "user", subject: benchUser }, clusters: undefined };

/** Asks for a page, the exact total and the facets, as the user. */
export function askIndex(
  index: FleetIndex,
  { text, sort = [] }: RecordedQuery,
  cursor = "",
): Promise<FleetQueryAnswer> {
  const rest = { groupBy: [], measure: "", explain: false };
  return index.query(0, by, { ...rest, text, sort, cursor, limit: pageSize, facets: facetFields });
}

/** The times of the queries of one class, sorted. */
export interface ClassTimes {
  readonly wallMs: readonly number[];
  /** Of the thread that answers. */
  readonly cpuMs: readonly number[];
}

/** Times each query `passCount` times. The first pass is not counted: it compiles code and grants. */
export async function timeQueries(
  queries: readonly ClassifiedQuery[],
  passCount: number,
  ask: (query: ClassifiedQuery) => Promise<unknown>,
): Promise<ReadonlyMap<QueryClass, ClassTimes>> {
  const times = new Map(
    queryClasses.map((queryClass) => [queryClass, { wallMs: [] as number[], cpuMs: [] as number[] }]),
  );
  for (let pass = 0; pass <= passCount; pass += 1)
    for (const query of queries) {
      const [startedMs, startedCpuMs] = [performance.now(), threadCpuMs()];
      await ask(query);
      if (pass === 0) continue;
      times.get(query.queryClass)?.wallMs.push(performance.now() - startedMs);
      times.get(query.queryClass)?.cpuMs.push(threadCpuMs() - startedCpuMs);
    }
  return new Map(
    Array.from(times, ([queryClass, { wallMs, cpuMs }]) => [
      queryClass,
      { wallMs: sorted(wallMs), cpuMs: sorted(cpuMs) },
    ]),
  );
}

function sorted(numbers: readonly number[]): readonly number[] {
  return numbers.toSorted((a, b) => a - b);
}

/** CPU time of this thread: other work of the machine is not in it. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** p50 and p99 of both times. */
export function summarizeTimes({ wallMs, cpuMs }: ClassTimes) {
  return {
    p50Ms: quantile(wallMs, 0.5),
    p99Ms: quantile(wallMs, 0.99),
    p50CpuMs: quantile(cpuMs, 0.5),
    p99CpuMs: quantile(cpuMs, 0.99),
  };
}
