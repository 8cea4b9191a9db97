// SPDX-License-Identifier: Apache-2.0
import type { FollowCall } from "../hub/follow-hub.ts";
import { say } from "../output/io.ts";
import { noRowsLine, requireComplete } from "./coverage-line.ts";
import { explainQuery } from "./explain-query.ts";
import { listChanges } from "./list-changes.ts";
import { listGroups } from "./list-groups.ts";
import { listObjects } from "./list-objects.ts";
import { loadMoment } from "./load-past.ts";
import { maxPageSize } from "./object-pages.ts";
import { type QueryFormat, refuseOption, toDocumentFormat } from "./query-format.ts";
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
  /** Only objects that were deleted. */
  readonly deleted: boolean;
  /** With either: since when; 0 = the hub's default. */
  readonly sinceMs: number;
  /** Changes since this moment instead of rows; "" = rows. */
  readonly changesSince: string;
  /** "" = now. */
  readonly until: string;
  readonly format: QueryFormat;
}

/**
 * Prints the rows of a query over the fleet, its groups, its plan, or its live view (CL31). Throws PARTIAL after the
 * output if not all clusters were read or current (CL33).
 */
export async function queryObjects(call: FollowCall, given: QueryWanted): Promise<void> {
  refuseConflicts(given);
  const { io } = call;
  if (given.watch) return watchObjects(call, given);
  if (given.changesSince !== "") return listChanges(call, given);
  const wanted = { ...given, query: await loadMoment(call, given) };
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
  const { at, limit, sort, facets, groupBy, measure, columns, explain, watch, format } = wanted;
  const isGrouped = groupBy.length > 0;
  const modes = [
    ...(watch ? ["--watch"] : []),
    ...(explain ? ["--explain"] : []),
    ...(isGrouped ? ["--group-by"] : []),
    ...(wanted.changesSince === "" ? [] : ["--changes-since"]),
  ];
  if (modes.length > 1) refuseOption(`${modes.join(" and ")} do not work together; remove all but one`);
  if (measure !== "" && !isGrouped) refuseOption("--measure works only with --group-by");
  if (sort.length > 0 && isGrouped) refuseOption("--sort does not work with --group-by; the largest groups come first");
  refuseDeleted(wanted, modes);
  refuseChanges(wanted);
  if (watch && at !== "") refuseOption("--at does not work with --watch; a live view shows the present");
  if (watch && limit > maxPageSize) refuseOption(`--watch follows at most ${maxPageSize} rows; lower --limit`);
  if (format === "name" && modes.length > 0 && wanted.changesSince === "")
    refuseOption(`-o name does not work with ${modes.join("")}`);
  if (watch && format === "csv") refuseOption("-o csv does not work with --watch; use -o ndjson");
  if (columns.length > 0 && modes.length > 0) refuseOption(`--columns does not work with ${modes.join("")}`);
  if (columns.length > 0 && !columnFormats.has(format)) refuseOption("--columns works with -o table, wide and csv");
  if (facets.length === 0) return;
  if (watch && !viewFormats.has(format)) refuseOption("--facets with --watch works with -o json, yaml and ndjson");
  if (!watch && !documentFormats.has(format)) refuseOption("--facets works with -o table, wide, json and yaml");
}

function refuseDeleted({ at, sinceMs, deleted, includeDeleted }: QueryWanted, modes: readonly string[]): void {
  const flag = deleted ? "--deleted" : "--include-deleted";
  if (deleted && includeDeleted) refuseOption("--deleted and --include-deleted do not work together; remove one");
  if (!deleted && !includeDeleted) {
    if (sinceMs > 0) refuseOption("--since works only with --deleted and --include-deleted");
    return;
  }
  if (modes.length > 0) refuseOption(`${flag} does not work with ${modes.join("")}`);
  if (at !== "")
    refuseOption(`${flag} does not work with --at; --changes-since and --until show what was deleted between`);
}

function refuseChanges({ at, sort, facets, changesSince, until }: QueryWanted): void {
  if (changesSince === "") {
    if (until !== "") refuseOption("--until works only with --changes-since");
    return;
  }
  if (at !== "") refuseOption("--at does not work with --changes-since; use --until for the later moment");
  if (sort.length > 0) refuseOption("--sort does not work with --changes-since");
  if (facets.length > 0) refuseOption("--facets does not work with --changes-since");
}
