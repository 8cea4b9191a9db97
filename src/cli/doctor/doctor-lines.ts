// SPDX-License-Identifier: Apache-2.0

import { toTerminalText } from "../output/terminal-text.ts";

/** The result for one hop. `warn`: works, but with a problem. */
export interface Finding {
  readonly hop: string;
  /** "" for hops before the clusters. */
  readonly cluster: string;
  /** The affected kind; "" if none. */
  readonly resource: string;
  readonly verdict: "ok" | "warn" | "bad";
  /** The class of the problem; findings with the same cause are one problem. "" if there is none. */
  readonly cause: string;
  readonly says: string;
  /** What to do; "" if nothing. */
  readonly advice: string;
}

/** Names listed per problem; the rest is counted. */
const namedCount = 3;

/** Maximum characters of a finding: with place and advice a line stays below about 200. `-o json` has the full text. */
const maxFindingLength = 80;

/**
 * Findings as text: one line for everything that works, then one line per problem, bad ones first. Findings with the
 * same cause are one problem, however many clusters and kinds have it (CL4).
 */
export function renderFindings(findings: readonly Finding[]): string {
  const lines = [healthyLine(findings)];
  for (const verdict of ["bad", "warn"] as const) {
    const problems = Map.groupBy(
      findings.filter((finding) => finding.verdict === verdict),
      ({ cause }) => cause,
    );
    for (const same of problems.values()) lines.push(problemLine(verdict, same));
  }
  return lines
    .filter((line) => line !== "")
    .map((line) => `${toTerminalText(line)}\n`)
    .join("");
}

function healthyLine(findings: readonly Finding[]): string {
  const healthy = findings.filter(({ verdict }) => verdict === "ok");
  if (healthy.length === 0) return "";
  const hops = healthy.filter(({ cluster }) => cluster === "").map(({ hop, says }) => `${hop} ${says}`);
  const liveCount = healthy.length - hops.length;
  if (liveCount > 0) hops.push(liveCount === 1 ? "1 cluster is live" : `${liveCount} clusters are live`);
  return `ok    ${hops.join("; ")}`;
}

function problemLine(verdict: "bad" | "warn", same: readonly Finding[]): string {
  const clusters = [...new Set(same.map(({ cluster }) => cluster))].filter((each) => each !== "");
  const resources = [...new Set(same.map(({ resource }) => resource))].filter((each) => each !== "");
  const places = [clusters.length === 0 ? (same[0]?.hop ?? "") : listOf(clusters, "clusters")];
  if (resources.length > 0) places.push(listOf(resources, "kinds"));
  const [first = "", ...others] = new Set(same.map(({ says }) => says));
  const seen = cut(others.length === 0 ? first : `such as: ${first}`);
  const [advice = "", ...otherAdvice] = new Set(same.map((each) => each.advice));
  // If the advice contains the cluster's id, each cluster has its own; `ID` replaces it.
  const shown = otherAdvice.length === 0 ? advice : advice.replace(clusters[0] ?? "", "ID");
  return `${verdict.padEnd(6)}${places.join(" ")}: ${seen}${shown === "" ? "" : ` -- ${shown}`}`;
}

function listOf(names: readonly string[], what: string): string {
  if (names.length === 1) return names[0] ?? "";
  const named = names.slice(0, namedCount).join(", ");
  const more = names.length > namedCount ? ", ..." : "";
  return `${names.length} ${what} (${named}${more})`;
}

function cut(text: string): string {
  return text.length > maxFindingLength ? `${text.slice(0, maxFindingLength - 3).toWellFormed()}...` : text;
}
