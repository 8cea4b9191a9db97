// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import {
  type ComparedObject,
  ComparedObjectSchema,
  type CompareResponse,
  type Coverage,
  QueryService,
} from "../../gen/flotilla/query/v1/query_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { AlignedLines } from "./aligned-lines.ts";
import { requireComplete, toCoverageObject, worseCoverage } from "./coverage-line.ts";
import { DocumentWriter } from "./document-writer.ts";
import { loadMoment } from "./load-past.ts";
import { readPages } from "./object-pages.ts";
import { withQueryEcho } from "./query-echo.ts";

/** The options of `compare`. */
export interface CompareWanted {
  readonly query: string;
  /** A moment, or a time before now; "" = now. */
  readonly at: string;
  /** Globs; empty = all that match the query. */
  readonly clusters: readonly string[];
  /** "" = the clusters are compared with each other. */
  readonly goldenCluster: string;
  /** Objects without a difference too. */
  readonly all: boolean;
  /** 0 = all. */
  readonly limit: number;
}

/** Clusters named in a cell; the rest is counted. */
const namedCount = 5;

/**
 * Prints objects of a query that differ between clusters or are missing in some, one line per value and its clusters
 * (CL38). Throws PARTIAL after the output if not all clusters were read or current (CL33).
 */
export async function printComparison(call: HubCall, wanted: CompareWanted): Promise<void> {
  const { io, output, transport, signal } = call;
  const { clusters, goldenCluster, all, limit } = wanted;
  const query = await loadMoment(call, wanted);
  const client = createClient(QueryService, transport);
  const load = (cursor: string, size: number): Promise<CompareResponse> => {
    const request = { query, clusters: [...clusters], goldenCluster, differingOnly: !all, limit: size, cursor };
    return withQueryEcho(query, () => client.compare(request, { signal }));
  };
  const table = new AlignedLines(io.stdout, ["KIND", "NAMESPACE", "NAME", "FIELD", "VALUE", "CLUSTERS"]);
  const document = output === "text" ? undefined : new DocumentWriter(io.stdout, output, "objects");
  let [printedCount, hasMore, coverage]: [number, boolean, Coverage | undefined] = [0, false, undefined];
  for await (const page of readPages(limit, load, ({ objects }) => objects.length)) {
    coverage = worseCoverage(coverage, page.coverage);
    if (document === undefined) table.print(page.objects.flatMap(toCompareRows));
    else await document.add(page.objects.map((object) => toPlainJson(ComparedObjectSchema, object)));
    printedCount += page.objects.length;
    hasMore = page.next !== "";
  }
  await document?.end({ coverage: toCoverageObject(coverage) });
  if (printedCount === 0) say(io, all ? "no objects match" : "no object differs or is missing in a cluster");
  else if (hasMore) say(io, `there are more objects than the limit of ${limit}; --limit 0 prints all`);
  requireComplete(coverage);
}

/** One line per fact: where the object is missing, and each value of each differing field with its clusters. */
function toCompareRows({
  kind,
  namespace,
  name,
  presentIn,
  missingIn,
  noAccessIn,
  fields,
}: ComparedObject): string[][] {
  const facts = [
    ...(missingIn.length === 0 ? [] : [["(missing)", "", clustersText(missingIn)]]),
    ...(noAccessIn.length === 0 ? [] : [["(no access)", "", clustersText(noAccessIn)]]),
    ...fields.flatMap(({ field, variants }) =>
      variants.map(({ value, clusters }) => [field, value === "" ? "(none)" : value, clustersText(clusters)]),
    ),
  ];
  const differs = missingIn.length > 0 || fields.length > 0;
  if (!differs) facts.unshift(["(equal)", "", clustersText(presentIn)]);
  return facts.map((fact) => [kind, namespace, name, ...fact]);
}

/** `3: a, b, c`, at most five names. */
function clustersText(clusters: readonly string[]): string {
  const others = clusters.length > namedCount ? [`${clusters.length - namedCount} more`] : [];
  return `${clusters.length}: ${[...clusters.slice(0, namedCount), ...others].join(", ")}`;
}
