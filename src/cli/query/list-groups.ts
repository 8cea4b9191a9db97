// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { type Coverage, QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printResult, toJsonText } from "../output/output.ts";
import { renderTable } from "../output/text-table.ts";
import { renderFacets, toFacetObjects, toGroupObject, toGroupTable } from "./count-tables.ts";
import { toCoverageObject } from "./coverage-line.ts";
import { toCsvLine } from "./csv-text.ts";
import { withQueryEcho } from "./query-echo.ts";
import { type QueryFormat, toDocumentFormat } from "./query-format.ts";

/** The groups to print. */
export interface GroupsWanted {
  readonly query: string;
  readonly groupBy: readonly string[];
  /** "" = none. */
  readonly measure: string;
  readonly facets: readonly string[];
  /** 0 = all that the hub returns. */
  readonly limit: number;
  readonly format: QueryFormat;
}

/** Prints the groups of a query's rows, the largest first, and returns the coverage. */
export async function listGroups(call: HubCall, wanted: GroupsWanted): Promise<Coverage | undefined> {
  const { io, transport, signal } = call;
  const { query, groupBy, measure, facets, limit, format } = wanted;
  // One row, because groups are returned in full and rows are not printed; 0 would mean the default.
  const request = { query, limit: 1, groupBy: [...groupBy], measure, facets: [...facets] };
  const client = createClient(QueryService, transport);
  const answer = await withQueryEcho(query, () => client.listObjects(request, { signal }));
  const groups = limit === 0 ? answer.groups : answer.groups.slice(0, limit);
  const leftOutCount = Number(answer.leftOutGroupCount) + answer.groups.length - groups.length;
  if (format === "csv") {
    const { titles, rows } = toGroupTable(groupBy, groups, measure);
    io.stdout.write([titles.map((title) => title.toLowerCase()), ...rows].map(toCsvLine).join(""));
  } else if (format === "ndjson") {
    io.stdout.write(groups.map((group) => `${toJsonText(toGroupObject(groupBy, group, measure))}\n`).join(""));
  } else {
    const { titles, rows } = toGroupTable(groupBy, groups, measure);
    await printResult(io.stdout, toDocumentFormat(format, "--group-by"), {
      value: {
        groups: groups.map((group) => toGroupObject(groupBy, group, measure)),
        leftOutGroupCount: leftOutCount,
        total: Number(answer.total),
        query: answer.canonicalQuery,
        facets: toFacetObjects(answer.facets),
        coverage: toCoverageObject(answer.coverage),
      },
      text: `${renderTable(
        titles,
        rows.map((row) => row.map(String)),
      )}${renderFacets(answer.facets)}`,
    });
  }
  if (leftOutCount > 0) say(io, `${leftOutCount} smaller groups are left out`);
  return answer.coverage;
}
