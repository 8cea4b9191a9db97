// SPDX-License-Identifier: Apache-2.0
import type { StandingThreshold } from "./standing-query-record.ts";

/** Where a threshold is. */
export interface ThresholdState {
  /** Reported as exceeded and not as resolved. */
  readonly isFiring: boolean;
  /** On the monotonic clock: since when the total asks for the other state; undefined if it does not. */
  readonly sinceMs: number | undefined;
}

/** One evaluation. */
export interface ThresholdInput {
  readonly total: number;
  /** False while rows of some clusters could not be read: the total is then a lower bound. */
  readonly isComplete: boolean;
  readonly nowMs: number;
}

export interface ThresholdStep {
  readonly state: ThresholdState;
  /** To be reported now. */
  readonly report: "firing" | "resolved" | undefined;
  /** On the monotonic clock: when the state changes if the total stays; undefined if it does not. */
  readonly dueMs: number | undefined;
}

/**
 * Fires when the total was above `above` at every evaluation for `forMs`, and resolves when it was at most `clearAt`
 * for `forMs` (SQ12). Between the two nothing changes, so a total that moves around the threshold reports once. A lower
 * bound can fire and never resolves.
 */
export function stepThreshold(
  state: ThresholdState,
  input: ThresholdInput,
  threshold: StandingThreshold,
): ThresholdStep {
  const { total, isComplete, nowMs } = input;
  const { above, clearAt, forMs } = threshold;
  const asksForOther = state.isFiring ? isComplete && total <= clearAt : total > above;
  if (!asksForOther) return { state: { ...state, sinceMs: undefined }, report: undefined, dueMs: undefined };
  const sinceMs = state.sinceMs ?? nowMs;
  if (nowMs - sinceMs < forMs) return { state: { ...state, sinceMs }, report: undefined, dueMs: sinceMs + forMs };
  const isFiring = !state.isFiring;
  return { state: { isFiring, sinceMs: undefined }, report: isFiring ? "firing" : "resolved", dueMs: undefined };
}
