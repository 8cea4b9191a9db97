// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { type Coverage, ExplainResponseSchema, QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { withQueryEcho } from "./query-echo.ts";

/** The query to explain. */
export interface ExplainWanted {
  readonly query: string;
  readonly sort: readonly string[];
  readonly facets: readonly string[];
}

/** Prints the plan of a query, the rows that it read and matched, and its time. Returns the coverage. */
export async function explainQuery(call: HubCall, wanted: ExplainWanted): Promise<Coverage | undefined> {
  const { io, output, transport, signal } = call;
  const { query } = wanted;
  const request = { query, sort: [...wanted.sort], facets: [...wanted.facets] };
  const client = createClient(QueryService, transport);
  const answer = await withQueryEcho(query, () => client.explain(request, { signal }));
  const { canonicalQuery, plan, rowsRead, rowsMatched, tookMs } = answer;
  const lines = [
    `query    ${canonicalQuery === "" ? "(every row)" : canonicalQuery}`,
    ...plan.map((step, at) => `${(at === 0 ? "plan" : "").padEnd(8)} ${step}`),
    `rows     ${rowsRead} read, ${rowsMatched} matched`,
    `time     ${tookMs.toFixed(1)} ms`,
  ];
  const text = lines.map((line) => `${toTerminalText(line)}\n`).join("");
  await printResult(io.stdout, output, { value: toPlainJson(ExplainResponseSchema, answer), text });
  return answer.coverage;
}
