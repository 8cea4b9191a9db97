// SPDX-License-Identifier: Apache-2.0
import { hashText } from "../stable-hash.ts";

/** The state of a simulated branch: its newest commit, and when the next one comes. */
export interface BranchState {
  readonly commit: string;
  /** Age of the newest commit. */
  readonly ageMs: number;
  readonly nextInMs: number;
}

/**
 * A commit every 10 to 30 minutes: often enough to be noticed, rare enough to cost little with fifty clusters on one
 * machine.
 */
const minPeriodMs = 600_000;
const maxPeriodMs = 1_800_000;

/** The branch named `seed` at that time. Depends only on the arguments, so a restart does not change it. */
export function branchAt(seed: string, nowMs: number): BranchState {
  const hash = hashText(seed);
  const periodMs = minPeriodMs + (hash % (maxPeriodMs - minPeriodMs));
  const shiftedMs = nowMs + hash;
  const commitIndex = Math.floor(shiftedMs / periodMs);
  const ageMs = shiftedMs - commitIndex * periodMs;
  const commit = Array.from({ length: 5 }, (_, part) =>
    hashText(`${part} ${commitIndex} ${seed}`).toString(16).padStart(8, "0"),
  );
  return { commit: commit.join(""), ageMs, nextInMs: periodMs - ageMs };
}
