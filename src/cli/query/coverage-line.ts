// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import { type ClusterCoverage, type Coverage, CoverageSchema } from "../../gen/flotilla/query/v1/query_pb.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { formatAge } from "../output/relative-time.ts";
import { toTerminalText } from "../output/terminal-text.ts";

/** Clusters named in the line; the rest is counted. `-o json` has all of them. */
const namedCount = 3;

/** Characters of a reason in the line. */
const maxReasonLength = 80;

/** The coverage as JSON; null if the hub sent none. */
export function toCoverageObject(coverage: Coverage | undefined): JsonObject | null {
  return coverage === undefined ? null : toPlainJson(CoverageSchema, coverage);
}

/** One line about clusters that are missing or not current (L10); undefined if the coverage is complete. */
export function coverageLine(coverage: Coverage | undefined): string | undefined {
  if (coverage === undefined) return "the hub did not report which clusters it has read";
  if (coverage.isComplete) return undefined;
  const { sentence, clusters } = coverage;
  const named = clusters.slice(0, namedCount).map((each) => `${each.cluster} (${stateText(each)})`);
  const others = clusters.length > namedCount ? [`${clusters.length - namedCount} more`] : [];
  const list = [...named, ...others].join(", ");
  return toTerminalText(list === "" ? sentence : `${sentence}: ${list}`);
}

/**
 * Throws PARTIAL with the line if the coverage is not complete. To be called after everything is printed: the line goes
 * to standard error and the code decides the exit code (CL33).
 */
export function requireComplete(coverage: Coverage | undefined): void {
  const line = coverageLine(coverage);
  if (line !== undefined) throw new FlotillaError("PARTIAL", line);
}

/** The line for an answer without rows. */
export function noRowsLine(coverage: Coverage | undefined): string {
  if (coverage?.clusterCount !== 0) return "no objects match";
  return "the query selects no cluster; `flotilla cluster list` lists those that you may see";
}

/** The less complete one of two coverages of the same question. */
export function worseCoverage(one: Coverage | undefined, other: Coverage | undefined): Coverage | undefined {
  if (one === undefined) return other;
  return other?.isComplete === false && one.isComplete ? other : one;
}

/** A cluster that was read is described by its state and age; one that was not, or is live, by the reason. */
function stateText({ state, isRead, reason, asOfMsAgo }: ClusterCoverage): string {
  if (reason !== "" && (!isRead || state === "live"))
    return reason.length > maxReasonLength ? `${reason.slice(0, maxReasonLength)}…` : reason;
  return asOfMsAgo === undefined ? state : `${state} ${formatAge(Number(asOfMsAgo))}`;
}
