// SPDX-License-Identifier: Apache-2.0
import { type Status, statusRank } from "../../model/status.ts";
import { compareUtf8 } from "../../model/text.ts";
import type { IndexKey } from "../relations/index-key.ts";
import type { ProblemSignature } from "./problem-signature.ts";

/** Keys of a problem that a list of problems holds: enough to open one of them. */
export const problemSampleCount = 10;

/** How many objects of one kind a problem has. */
export interface ProblemKindCount {
  readonly resource: string;
  readonly kind: string;
  readonly count: number;
}

/** Objects over all clusters that are in trouble for the same reason. */
export interface Problem extends ProblemSignature {
  /** Equal for equal signatures, in every answer and after a restart. */
  readonly id: string;
  /** A message as it was reported: that of the object with the least key. */
  readonly sampleMessage: string;
  /** The worst one. */
  readonly status: Status;
  /** The most frequent first; equal ones by resource. */
  readonly kindCounts: readonly ProblemKindCount[];
  readonly objectCount: number;
  readonly clusterCount: number;
  /** Namespaces of different clusters count as different. */
  readonly namespaceCount: number;
  /** Milliseconds since 1970; undefined if it is known for no object. */
  readonly sinceMs: number | undefined;
  /** How many objects explain the others. */
  readonly rootCount: number;
  /** Of the roots, the first ones in key order. */
  readonly roots: readonly IndexKey[];
  /** Of all objects, the first ones in key order. */
  readonly objects: readonly IndexKey[];
}

/** One problem of two that have the same id. The clusters of `a` come before those of `b`. */
export function mergeProblems(a: Problem, b: Problem): Problem {
  return {
    ...a,
    status: statusRank(a.status) <= statusRank(b.status) ? a.status : b.status,
    kindCounts: sumKinds([...a.kindCounts, ...b.kindCounts]),
    objectCount: a.objectCount + b.objectCount,
    clusterCount: a.clusterCount + b.clusterCount,
    namespaceCount: a.namespaceCount + b.namespaceCount,
    sinceMs: earlier(a.sinceMs, b.sinceMs),
    rootCount: a.rootCount + b.rootCount,
    roots: [...a.roots, ...b.roots].slice(0, problemSampleCount),
    objects: [...a.objects, ...b.objects].slice(0, problemSampleCount),
  };
}

/** More clusters first, then more objects, then the older one, then by id (PB6). A known time is older than none. */
export function compareProblems(a: Problem, b: Problem): number {
  return (
    b.clusterCount - a.clusterCount ||
    b.objectCount - a.objectCount ||
    compareTimes(a.sinceMs, b.sinceMs) ||
    compareUtf8(a.id, b.id)
  );
}

/** The counts by resource, the largest first. */
export function sumKinds(counts: readonly ProblemKindCount[]): readonly ProblemKindCount[] {
  const sums = new Map<string, ProblemKindCount>();
  for (const each of counts) {
    const count = each.count + (sums.get(each.resource)?.count ?? 0);
    sums.set(each.resource, { ...each, count });
  }
  return [...sums.values()].sort((a, b) => b.count - a.count || compareUtf8(a.resource, b.resource));
}

/** The earlier of two times, of which each may be unknown. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

function compareTimes(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  return (a ?? Number.POSITIVE_INFINITY) < (b ?? Number.POSITIVE_INFINITY) ? -1 : 1;
}
