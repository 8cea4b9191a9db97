// SPDX-License-Identifier: Apache-2.0
import type { FleetIndex } from "../../src/hub/index/fleet-index.ts";
import type { QueryViewer } from "../../src/hub/index/query-runs.ts";
import type { FleetQueryAnswer, ProblemsAnswer } from "../../src/hub/rows/fleet-queries.ts";
import { quantile } from "../support/promise.ts";
import { benchUser } from "./fleet-shape.ts";
import { threadCpuMs } from "./load-index.ts";
import { type ClassifiedQuery, type QueryClass, queryClasses, type RecordedQuery } from "./recorded-queries.ts";

/** The four facets of every query. */
export const facetFields = ["cluster", "namespace", "kind", "status"] as const;

export const pageSize = 50;

export const benchViewer: QueryViewer = { viewer: { kind: "user", subject: benchUser }, clusters: undefined };

/** Asks for a page, the exact total and the facets, as the user. */
export function askIndex(
  index: Pick<FleetIndex, "query">,
  { text, sort }: RecordedQuery,
  { id = 0, cursor = "" }: { readonly id?: number; readonly cursor?: string | undefined } = {},
): Promise<FleetQueryAnswer> {
  const rest = { groupBy: [], measure: "", explain: false };
  const fields = sort === undefined ? [] : [sort.field];
  return index.query(id, benchViewer, { ...rest, text, sort: fields, cursor, limit: pageSize, facets: facetFields });
}

/** Asks for the first problems, as the user. */
export function askProblems(index: Pick<FleetIndex, "listProblems">): Promise<ProblemsAnswer> {
  const query = { text: "", limit: pageSize, includeDegraded: false, problemId: "", cursor: "" };
  return index.listProblems(0, benchViewer, query);
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

export interface TimeSummary {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p50CpuMs: number;
  readonly p99CpuMs: number;
}

export function summarizeTimes({ wallMs, cpuMs }: ClassTimes): TimeSummary {
  return {
    p50Ms: quantile(wallMs, 0.5),
    p99Ms: quantile(wallMs, 0.99),
    p50CpuMs: quantile(cpuMs, 0.5),
    p99CpuMs: quantile(cpuMs, 0.99),
  };
}
