// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { type Coverage, type ListObjectsResponse, QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { renderFacets, toFacetObjects } from "./count-tables.ts";
import { toCoverageObject, worseCoverage } from "./coverage-line.ts";
import { columnsOfFields } from "./field-columns.ts";
import { readPages } from "./object-pages.ts";
import { createObjectPrinter } from "./object-printer.ts";
import type { GivenLayout } from "./object-table.ts";
import { withQueryEcho } from "./query-echo.ts";
import type { QueryFormat } from "./query-format.ts";

/** The rows to print. */
export interface ObjectsWanted {
  readonly query: string;
  /** 0 = all. */
  readonly limit: number;
  readonly sort: readonly string[];
  readonly facets: readonly string[];
  readonly includeDeleted: boolean;
  /** Only objects that were deleted. */
  readonly deleted: boolean;
  /** With either: since when, in milliseconds; 0 = the hub's default. */
  readonly sinceMs: number;
  readonly format: QueryFormat;
  /** NAMESPACE is never shown, because the query names one namespace. */
  readonly isOneNamespace?: boolean;
  readonly hasKindInName?: boolean;
  /** Fields to show in tables and CSV; empty = the columns of the kinds. */
  readonly columns?: readonly string[];
}

/** What was printed. */
export interface ListedObjects {
  readonly printedCount: number;
  /** Exact, of all pages. */
  readonly total: number;
  readonly coverage: Coverage | undefined;
}

/**
 * Prints the rows of a query page by page, following the cursor up to the limit (CL34). Facets are those of the first
 * page: they count the rows of all pages.
 */
export async function listObjects(call: HubCall, wanted: ObjectsWanted): Promise<ListedObjects> {
  const { transport, signal } = call;
  const { query, limit, sort, facets, includeDeleted, deleted: onlyDeleted, sinceMs, format } = wanted;
  const client = createClient(QueryService, transport);
  let first: ListObjectsResponse | undefined;
  // Ages are those of the moment of the answer.
  const io = { ...call.io, now: () => (first?.at === undefined ? call.io.now() : timestampMs(first.at)) };
  const printer = createObjectPrinter(io, format, toLayout(wanted));
  const load = (cursor: string, size: number): Promise<ListObjectsResponse> => {
    const counted = cursor === "" ? [...facets] : [];
    const deletedSince = sinceMs === 0 ? "" : `now-${sinceMs}ms`;
    const deleted = { includeDeleted, onlyDeleted, deletedSince };
    const request = { query, limit: size, cursor, sort: [...sort], facets: counted, ...deleted };
    return withQueryEcho(query, () => client.listObjects(request, { signal }));
  };
  let [printedCount, coverage]: [number, Coverage | undefined] = [0, undefined];
  for await (const page of readPages(limit, load, ({ objects }) => objects.length)) {
    first ??= page;
    coverage = worseCoverage(coverage, page.coverage);
    await printer.print(page.objects);
    printedCount += page.objects.length;
  }
  const total = Number(first?.total ?? 0);
  const counts = first?.facets ?? [];
  await printer.end(toFields(first, total, coverage));
  if ((format === "table" || format === "wide") && counts.length > 0) io.stdout.write(renderFacets(counts));
  return { printedCount, total, coverage };
}

function toLayout({
  isOneNamespace,
  hasKindInName = false,
  includeDeleted,
  deleted,
  columns = [],
}: ObjectsWanted): Omit<GivenLayout, "isWide"> {
  return {
    hasKindInName,
    hasRemoval: includeDeleted || deleted,
    columns: columns.length === 0 ? undefined : columnsOfFields(columns),
    ...(isOneNamespace === true ? { hasNamespace: false } : {}),
  };
}

function toFields(first: ListObjectsResponse | undefined, total: number, coverage: Coverage | undefined): JsonObject {
  return {
    total,
    query: first?.canonicalQuery ?? "",
    ...(first?.at === undefined ? {} : { at: new Date(timestampMs(first.at)).toISOString() }),
    facets: toFacetObjects(first?.facets ?? []),
    coverage: toCoverageObject(coverage),
  };
}
