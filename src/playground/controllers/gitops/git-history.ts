// SPDX-License-Identifier: Apache-2.0
import { hashText } from "../stable-hash.ts";

/** The state of a made-up branch: its newest commit, and when the next one comes. */
export interface BranchState {
  readonly commit: string;
  /** How long the newest commit has been there. */
  readonly ageMs: number;
  readonly nextInMs: number;
}

/** Commits come every 10 to 30 minutes: often enough to be seen, too seldom to be work for fifty clusters on one machine. */
const minPeriodMs = 600_000;
const maxPeriodMs = 1_800_000;

/** The branch called `seed` at that time: the same for everybody who asks, before and after a restart. */
export function branchAt(seed: string, nowMs: number): BranchState {
  const draw = hashText(seed);
  const periodMs = minPeriodMs + (draw % (maxPeriodMs - minPeriodMs));
  const shiftedMs = nowMs + draw;
  const turn = Math.floor(shiftedMs / periodMs);
  const ageMs = shiftedMs - turn * periodMs;
  const commit = Array.from({ length: 5 }, (_, part) =>
    hashText(`${part} ${turn} ${seed}`).toString(16).padStart(8, "0"),
  );
  return { commit: commit.join(""), ageMs, nextInMs: periodMs - ageMs };
}
