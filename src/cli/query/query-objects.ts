// SPDX-License-Identifier: Apache-2.0
import type { FollowCall } from "../hub/follow-hub.ts";
import { say } from "../output/io.ts";
import { noRowsLine, requireComplete } from "./coverage-line.ts";
import { explainQuery } from "./explain-query.ts";
import { listGroups } from "./list-groups.ts";
import { listObjects } from "./list-objects.ts";
import { maxPageSize } from "./object-pages.ts";
import { type QueryFormat, refuseOption, toDocumentFormat } from "./query-format.ts";
import { queryAt } from "./query-text.ts";
import { watchObjects } from "./watch-objects.ts";

/** The options of `query`. */
export interface QueryWanted {
  readonly query: string;
  /** "" = now. */
  readonly at: string;
  /** 0 = all. */
  readonly limit: number;
  readonly sort: readonly string[];
  readonly facets: readonly string[];
  readonly groupBy: readonly string[];
  /** Fields to show; empty = the columns of the kinds. */
  readonly columns: readonly string[];
  readonly measure: string;
  readonly explain: boolean;
  readonly watch: boolean;
  readonly includeDeleted: boolean;
  readonly format: QueryFormat;
}

/**
 * Prints the rows of a query over the fleet, its groups, its plan, or its live view (CL31). Throws PARTIAL after the
 * output if not all clusters were read or current (CL33).
 */
export async function queryObjects(call: FollowCall, given: QueryWanted): Promise<void> {
  refuseConflicts(given);
  const { io } = call;
  const wanted = { ...given, query: queryAt(given.query, given.at) };
  if (wanted.watch) return watchObjects(call, wanted);
  if (wanted.explain) {
    const output = toDocumentFormat(wanted.format, "--explain");
    return requireComplete(await explainQuery({ ...call, output }, wanted));
  }
  if (wanted.groupBy.length > 0) return requireComplete(await listGroups(call, wanted));
  const { printedCount, total, coverage } = await listObjects(call, wanted);
  if (printedCount === 0) say(io, noRowsLine(coverage));
  else if (printedCount < total) say(io, `printed ${printedCount} of ${total} rows; --limit 0 prints all`);
  requireComplete(coverage);
}

const documentFormats: ReadonlySet<QueryFormat> = new Set(["table", "wide", "json", "yaml"]);

/** Formats whose columns can be chosen. */
export const columnFormats: ReadonlySet<QueryFormat> = new Set(["table", "wide", "csv"]);

const viewFormats: ReadonlySet<QueryFormat> = new Set(["json", "yaml", "ndjson"]);

/** An option that cannot act with the others is refused, never ignored (CL22). */
function refuseConflicts(wanted: QueryWanted): void {
  const { at, limit, sort, facets, groupBy, measure, columns, explain, watch, includeDeleted, format } = wanted;
  const isGrouped = groupBy.length > 0;
  const modes = [
    ...(watch ? ["--watch"] : []),
    ...(explain ? ["--explain"] : []),
    ...(isGrouped ? ["--group-by"] : []),
  ];
  if (modes.length > 1) refuseOption(`${modes.join(" and ")} do not work together; remove all but one`);
  if (measure !== "" && !isGrouped) refuseOption("--measure works only with --group-by");
  if (sort.length > 0 && isGrouped) refuseOption("--sort does not work with --group-by; the largest groups come first");
  if (includeDeleted && modes.length > 0) refuseOption(`--include-deleted does not work with ${modes.join("")}`);
  if (watch && at !== "") refuseOption("--at does not work with --watch; a live view shows the present");
  if (watch && limit > maxPageSize) refuseOption(`--watch follows at most ${maxPageSize} rows; lower --limit`);
  if (format === "name" && modes.length > 0) refuseOption(`-o name does not work with ${modes.join("")}`);
  if (watch && format === "csv") refuseOption("-o csv does not work with --watch; use -o ndjson");
  if (columns.length > 0 && modes.length > 0) refuseOption(`--columns does not work with ${modes.join("")}`);
  if (columns.length > 0 && !columnFormats.has(format)) refuseOption("--columns works with -o table, wide and csv");
  if (facets.length === 0) return;
  if (watch && !viewFormats.has(format)) refuseOption("--facets with --watch works with -o json, yaml and ndjson");
  if (!watch && !documentFormats.has(format)) refuseOption("--facets works with -o table, wide, json and yaml");
}
