// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
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
  const { io, transport, signal } = call;
  const { query, limit, sort, facets, includeDeleted, format } = wanted;
  const client = createClient(QueryService, transport);
  const printer = createObjectPrinter(io, format, toLayout(wanted));
  const load = (cursor: string, size: number): Promise<ListObjectsResponse> => {
    const counted = cursor === "" ? [...facets] : [];
    const request = { query, limit: size, cursor, sort: [...sort], facets: counted, includeDeleted };
    return withQueryEcho(query, () => client.listObjects(request, { signal }));
  };
  let first: ListObjectsResponse | undefined;
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
  columns = [],
}: ObjectsWanted): Omit<GivenLayout, "isWide"> {
  return {
    hasKindInName,
    hasRemoval: includeDeleted,
    columns: columns.length === 0 ? undefined : columnsOfFields(columns),
    ...(isOneNamespace === true ? { hasNamespace: false } : {}),
  };
}

function toFields(first: ListObjectsResponse | undefined, total: number, coverage: Coverage | undefined): JsonObject {
  return {
    total,
    query: first?.canonicalQuery ?? "",
    facets: toFacetObjects(first?.facets ?? []),
    coverage: toCoverageObject(coverage),
  };
}
