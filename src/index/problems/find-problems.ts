// SPDX-License-Identifier: Apache-2.0
// What is wrong anywhere in the fleet, grouped by cause, over the rows that a subject may see (PB1 to PB8).
import type { ReadableFleet, VisibleCluster } from "../relations/visible-cluster.ts";
import { compareProblems, mergeProblems, type Problem } from "./problem.ts";
import { ProblemCounter } from "./problem-counter.ts";
import type { ProblemGroup } from "./problem-group.ts";
import { checkPageLimit, forEachCluster, type ProblemScope } from "./problem-scope.ts";

/** The most problems of one answer. */
export const maxListedProblems = 1_000;

/** The most problems that a search holds: some 4 MB. Fleets in practice have some hundred. */
export const maxHeldProblems = 2_000;

/** Objects that are counted between two yields: about 2 ms of work. */
const countedPerSlice = 1_024;

export interface ProblemsRequest extends ProblemScope {
  /** 1 to `maxListedProblems`. */
  readonly limit: number;
  /** At most `maxHeldProblems`, the default. */
  readonly maxHeld?: number;
}

export interface FleetProblems {
  /** In the order of PB6. */
  readonly problems: readonly Problem[];
  /** Also those beyond the limit. */
  readonly problemCount: number;
  /** The objects of these problems. */
  readonly objectCount: number;
  /** Objects whose problems were not held because there were too many. They are in no other count. */
  readonly leftOutCount: number;
}

/**
 * Finds the problems of a fleet. Each cluster is read at one moment. Throws INVALID_ARGUMENT for a limit out of range.
 * Yields after bounded work.
 */
export function* findProblems(
  fleet: ReadableFleet,
  request: ProblemsRequest,
): Generator<void, FleetProblems, undefined> {
  checkPageLimit(request.limit, maxListedProblems);
  const maxHeld = Math.min(request.maxHeld ?? maxHeldProblems, maxHeldProblems);
  const held = new Map<string, Problem>();
  let [objectCount, leftOutCount] = [0, 0];
  yield* forEachCluster(fleet, request, countProblems, (found) => {
    for (const problem of found) {
      const known = held.get(problem.id);
      if (known === undefined && held.size >= maxHeld) leftOutCount += problem.objectCount;
      else {
        held.set(problem.id, known === undefined ? problem : mergeProblems(known, problem));
        objectCount += problem.objectCount;
      }
    }
    return true;
  });
  const problems = [...held.values()].sort(compareProblems).slice(0, request.limit);
  return { problems, problemCount: held.size, objectCount, leftOutCount };
}

/** The problems of one cluster, in the order of PB6. */
function* countProblems(
  cluster: VisibleCluster,
  groups: readonly ProblemGroup[],
): Generator<void, readonly Problem[], undefined> {
  const counters = new Map<string, ProblemCounter>();
  let count = 0;
  for (const group of groups) {
    const counter = counters.get(group.id) ?? new ProblemCounter(cluster);
    counters.set(group.id, counter);
    counter.add(group);
    count += group.members.length;
    if (count >= countedPerSlice) {
      yield;
      count = 0;
    }
  }
  return Array.from(counters.values(), (counter) => counter.problem()).sort(compareProblems);
}
