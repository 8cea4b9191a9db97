// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Coverage } from "../../gen/flotilla/query/v1/query_pb.ts";
import { quote } from "../../model/text.ts";
import type { FollowCall } from "../hub/follow-hub.ts";
import { say } from "../output/io.ts";
import { noRowsLine, requireComplete, worseCoverage } from "./coverage-line.ts";
import { type ObjectSelection, toGetQuery } from "./get-query.ts";
import { listObjects } from "./list-objects.ts";
import { loadMoment } from "./load-past.ts";
import { maxPageSize } from "./object-pages.ts";
import { type QueryFormat, refuseOption } from "./query-format.ts";
import { watchObjects } from "./watch-objects.ts";

/** The options of `get`. */
export interface GetWanted extends Omit<ObjectSelection, "kinds"> {
  /** Kinds separated by commas. */
  readonly kind: string;
  readonly allNamespaces: boolean;
  /** A moment, or a time before now; "" = now. */
  readonly at: string;
  /** 0 = all. */
  readonly limit: number;
  readonly watch: boolean;
  readonly format: QueryFormat;
}

/**
 * Prints objects of the fleet as `kubectl get` prints those of a cluster, with CLUSTER first (CL32). Several kinds are
 * tables one after another. Throws NOT_FOUND if objects were named and none of them was found, and PARTIAL after the
 * output if not all clusters were read or current (CL33).
 */
export async function getObjects(call: FollowCall, wanted: GetWanted): Promise<void> {
  refuseConflicts(wanted);
  const { kind, namespace, limit, format, names } = wanted;
  const kinds = splitKinds(kind);
  const isTable = format === "table" || format === "wide";
  const isOneNamespace = namespace !== "";
  const shared = {
    limit,
    sort: [],
    facets: [],
    includeDeleted: false,
    deleted: false,
    sinceMs: 0,
    format,
    isOneNamespace,
  };
  if (wanted.watch) return watchObjects(call, { ...shared, query: toGetQuery({ ...wanted, kinds }) });
  const parts = isTable ? kinds.map((each) => [each]) : [kinds];
  let [printedCount, hasMore, coverage]: [number, boolean, Coverage | undefined] = [0, false, undefined];
  for (const part of parts) {
    const left = limit === 0 ? 0 : limit - printedCount;
    if (limit > 0 && left <= 0) {
      hasMore = true;
      break;
    }
    const query = await loadMoment(call, { query: toGetQuery({ ...wanted, kinds: part }), at: wanted.at });
    const io = printedCount === 0 ? call.io : withEmptyLine(call.io);
    const listed = await listObjects(
      { ...call, io },
      { ...shared, limit: left, query, hasKindInName: kinds.length > 1 },
    );
    printedCount += listed.printedCount;
    hasMore = listed.printedCount < listed.total;
    coverage = worseCoverage(coverage, listed.coverage);
  }
  if (hasMore && limit > 0) say(call.io, `there are more objects than the limit of ${limit}; --limit 0 prints all`);
  if (printedCount === 0) reportNone(call, { kind, names, coverage });
  requireComplete(coverage);
}

interface EmptyAnswer extends Pick<GetWanted, "kind" | "names"> {
  readonly coverage: Coverage | undefined;
}

/** Only a complete answer proves that no cluster has a name: otherwise the line is printed and PARTIAL follows. */
function reportNone({ io }: FollowCall, { kind, names, coverage }: EmptyAnswer): void {
  if (names.length === 0 || coverage?.clusterCount === 0) return say(io, noRowsLine(coverage));
  const wanted = `${kind} ${names.map(quote).join(" or ")} that you may see`;
  if (coverage?.isComplete === true) throw new FlotillaError("NOT_FOUND", `no cluster has ${wanted}`);
  say(io, `no cluster that was read has ${wanted}`);
}

/** Writes an empty line before the first text, between two tables. */
function withEmptyLine(io: FollowCall["io"]): FollowCall["io"] {
  let isBegun = false;
  const { stdout } = io;
  const write = (text: string): void => {
    stdout.write(isBegun ? text : `\n${text}`);
    isBegun = true;
  };
  return { ...io, stdout: { ...stdout, write } };
}

/** The kinds of `get all`, in the order of kubectl, as far as agents collect them by default. */
const categoryAll: readonly string[] = [
  "pods",
  "services",
  "daemonsets",
  "deployments",
  "replicasets",
  "statefulsets",
  "horizontalpodautoscalers",
  "cronjobs",
  "jobs",
];

function splitKinds(text: string): readonly string[] {
  const kinds = text.split(",").flatMap((part) => (part.trim() === "all" ? categoryAll : [part.trim()]));
  if (kinds.includes("")) refuseOption(`${quote(text)} has an empty kind; write KIND or KIND,KIND`);
  return [...new Set(kinds)];
}

function refuseConflicts({ namespace, allNamespaces, at, watch, limit, format, names }: GetWanted): void {
  if (namespace !== "" && allNamespaces) refuseOption("-n does not work with -A; remove one of the two");
  if (names.includes("")) refuseOption("NAME must not be empty");
  if (!watch) return;
  if (at !== "") refuseOption("--at does not work with --watch; a live view shows the present");
  if (format === "csv" || format === "name")
    refuseOption(`-o ${format} does not work with --watch; use -o table, wide, json, yaml or ndjson`);
  if (limit > maxPageSize) refuseOption(`--watch follows at most ${maxPageSize} rows; lower --limit`);
}
