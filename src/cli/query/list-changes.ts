// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { type ListObjectChangesResponse, QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { createChangePrinter } from "./change-printer.ts";
import { requireComplete, toCoverageObject, worseCoverage } from "./coverage-line.ts";
import { loadPast, toIsoText, toMomentText } from "./load-past.ts";
import { readPages } from "./object-pages.ts";
import { withQueryEcho } from "./query-echo.ts";
import type { QueryFormat } from "./query-format.ts";

/** The changes to print. */
export interface ObjectChangesWanted {
  readonly query: string;
  /** A moment, or a time before now. */
  readonly changesSince: string;
  /** "" = now. */
  readonly until: string;
  /** 0 = all. */
  readonly limit: number;
  readonly format: QueryFormat;
}

/**
 * Prints what changed between two moments among the objects that a query selects, page by page (CL40). Throws PARTIAL
 * after the output if not all clusters were read (CL33).
 */
export async function listChanges(call: HubCall, wanted: ObjectChangesWanted): Promise<void> {
  const { io, transport, signal } = call;
  const { query, changesSince, until, limit, format } = wanted;
  const asked = { query, from: toMomentText(changesSince), to: until === "" ? "" : toMomentText(until) };
  const loaded = await loadPast(call, asked);
  const moments = {
    from: loaded.from === undefined ? asked.from : toIsoText(loaded.from),
    to: loaded.to === undefined ? asked.to : toIsoText(loaded.to),
  };
  const client = createClient(QueryService, transport);
  const printer = createChangePrinter(io, format);
  const load = (cursor: string, size: number): Promise<ListObjectChangesResponse> =>
    withQueryEcho(query, () => client.listObjectChanges({ query, ...moments, limit: size, cursor }, { signal }));
  let first: ListObjectChangesResponse | undefined;
  let [printedCount, coverage] = [0, first?.coverage];
  for await (const page of readPages(limit, load, ({ changes }) => changes.length)) {
    first ??= page;
    coverage = worseCoverage(coverage, page.coverage);
    await printer.print(page.changes);
    printedCount += page.changes.length;
  }
  const [entered, left, changed] = [first?.enteredCount, first?.leftCount, first?.changedCount].map(Number);
  await printer.end({
    enteredCount: entered ?? 0,
    leftCount: left ?? 0,
    changedCount: changed ?? 0,
    from: moments.from,
    to: moments.to,
    query: first?.canonicalQuery ?? "",
    coverage: toCoverageObject(coverage),
  });
  const total = (entered ?? 0) + (left ?? 0) + (changed ?? 0);
  if (total === 0) say(io, "nothing changed");
  else say(io, `${entered} entered, ${left} left, ${changed} changed`);
  if (printedCount < total) say(io, `printed ${printedCount} of ${total} objects; --limit 0 prints all`);
  requireComplete(coverage);
}
