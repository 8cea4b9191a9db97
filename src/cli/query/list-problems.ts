// SPDX-License-Identifier: Apache-2.0
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Client, createClient } from "@connectrpc/connect";
import {
  type Coverage,
  type Problem,
  ProblemSchema,
  type ProblemsResponse,
  QueryService,
} from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printResult } from "../output/output.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { formatAge } from "../output/relative-time.ts";
import { renderTable } from "../output/text-table.ts";
import { requireComplete, toCoverageObject, worseCoverage } from "./coverage-line.ts";
import { loadMoment } from "./load-past.ts";
import { maxPageSize, readPages } from "./object-pages.ts";
import { createObjectPrinter } from "./object-printer.ts";
import { withQueryEcho } from "./query-echo.ts";

/** The options of `problems`. */
export interface ProblemsWanted {
  /** A query, or the id of a problem. */
  readonly queryOrId: string;
  readonly includeDegraded: boolean;
  /** A moment, or a time before now; "" = now. */
  readonly at: string;
  /** 0 = as many as possible. */
  readonly limit: number;
}

/** The form of a problem's id: 16 hexadecimal digits. No word of a query is likely to have it. */
const idForm = /^[0-9a-f]{16}$/;

/**
 * Prints the problems of the fleet, or the objects of one (CL38). Throws PARTIAL after the output if not all clusters
 * were read or current (CL33).
 */
export async function listProblems(call: HubCall, wanted: ProblemsWanted): Promise<void> {
  const client = createClient(QueryService, call.transport);
  const list = idForm.test(wanted.queryOrId) ? printObjectsOf : printProblems;
  requireComplete(await list(call, client, wanted));
}

type QueryClient = Client<typeof QueryService>;

async function printProblems(
  call: HubCall,
  client: QueryClient,
  { queryOrId, at, includeDegraded, limit }: ProblemsWanted,
): Promise<Coverage | undefined> {
  const { io, output, signal } = call;
  const query = await loadMoment(call, { query: queryOrId, at });
  const request = { query, includeDegraded, limit: limit === 0 ? maxPageSize : Math.min(limit, maxPageSize) };
  const answer = await withQueryEcho(query, () => client.problems(request, { signal }));
  const { problems, coverage } = answer;
  const leftOutCount = Number(answer.leftOutCount);
  const value = {
    problems: problems.map((problem) => toPlainJson(ProblemSchema, problem)),
    leftOutCount,
    coverage: toCoverageObject(coverage),
  };
  const nowMs = answer.at === undefined ? io.now() : timestampMs(answer.at);
  const rows = problems.map((problem) => toProblemRow(problem, nowMs));
  const text = rows.length === 0 ? "no problems\n" : renderTable(problemTitles, rows);
  await printResult(io.stdout, output, { value, text });
  if (leftOutCount > 0) say(io, `${leftOutCount} more problems are left out; narrow the query or raise --limit`);
  return coverage;
}

const problemTitles = ["ID", "STATUS", "FOR", "CLUSTERS", "PROBLEM"] as const;

function toProblemRow(problem: Problem, nowMs: number): string[] {
  const { id, status, since, title } = problem;
  const age = since === undefined ? "-" : formatAge(nowMs - timestampMs(since));
  return [id, status, age, clustersText(problem), title];
}

/** `east`, or `east +8` for nine clusters: the samples are the first in key order, so the first cluster is known. */
function clustersText({ samples, clusterCount }: Problem): string {
  const first = samples[0]?.cluster ?? "-";
  return clusterCount > 1 ? `${first} +${clusterCount - 1}` : first;
}

/** The objects of one problem, page by page. */
async function printObjectsOf(
  call: HubCall,
  client: QueryClient,
  { queryOrId: problemId, at, includeDegraded, limit }: ProblemsWanted,
): Promise<Coverage | undefined> {
  const { io, output, signal } = call;
  const query = await loadMoment(call, { query: "", at });
  const printer = createObjectPrinter(io, output === "text" ? "table" : output, {
    hasKindInName: false,
    hasRemoval: false,
  });
  const load = (cursor: string, size: number): Promise<ProblemsResponse> =>
    client.problems({ query, problemId, includeDegraded, limit: size, cursor }, { signal });
  let [printedCount, hasMore, coverage]: [number, boolean, Coverage | undefined] = [0, false, undefined];
  for await (const page of readPages(limit, load, ({ objects }) => objects.length)) {
    coverage = worseCoverage(coverage, page.coverage);
    await printer.print(page.objects);
    printedCount += page.objects.length;
    hasMore = page.next !== "";
  }
  await printer.end({ coverage: toCoverageObject(coverage) });
  if (printedCount === 0) say(io, noObjectsText(problemId, includeDegraded));
  else if (hasMore) say(io, `there are more objects than the limit of ${limit}; --limit 0 prints all`);
  return coverage;
}

function noObjectsText(id: string, includeDegraded: boolean): string {
  const hint = includeDegraded ? "" : "; if it was listed with --degraded, give --degraded here too";
  return `problem ${id} has no objects now${hint}`;
}
