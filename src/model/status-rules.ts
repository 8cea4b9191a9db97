// SPDX-License-Identifier: Apache-2.0
// The status rules for every kind, as pure functions. A kind's own rule applies only where these give no status.
import { unreachable } from "../base/assert.ts";
import { createStatusReport, type StatusReport } from "./status.ts";

/**
 * How long an object may be seen terminating before it counts as stuck (CO15): five minutes, ten times a Pod's default
 * grace period.
 */
export const stuckTerminatingAfterMs = 300_000;

/** Facts about an object with a deletion timestamp. */
export interface TerminatingFacts {
  /**
   * How long the observer has seen it terminating, by its own monotonic clock. Times of other machines are not compared
   * (L20).
   */
  readonly terminatingForMs: number;
  readonly finalizers: readonly string[];
}

/** `terminating`, or `unhealthy` once it is stuck (CO15). */
export function terminatingStatus(facts: TerminatingFacts): StatusReport {
  if (facts.terminatingForMs < stuckTerminatingAfterMs) return createStatusReport("terminating", "Terminating");
  const waitsFor =
    facts.finalizers.length === 0 ? "no finalizer is left" : `finalizers: ${facts.finalizers.join(", ")}`;
  return createStatusReport("unhealthy", "StuckTerminating", `deletion is not finished; ${waitsFor}`);
}

/** The result of a finished Pod or Job. */
export interface FinishedFacts {
  /** Pod phase Succeeded or Failed; Job condition Complete or Failed. Undefined if not finished. */
  readonly outcome: "succeeded" | "failed" | undefined;
  readonly reason?: string;
  readonly message?: string;
}

/** `completed` or `unhealthy` for a finished object; undefined for others (CO14). */
export function finishedStatus(facts: FinishedFacts): StatusReport | undefined {
  switch (facts.outcome) {
    case undefined:
      return undefined;
    case "succeeded":
      return createStatusReport("completed", facts.reason ?? "Completed", facts.message);
    case "failed":
      return createStatusReport("unhealthy", facts.reason ?? "Failed", facts.message);
    default:
      return unreachable(facts.outcome, "outcome");
  }
}

/** What the object's controller has observed, for kinds that report conditions. */
export interface ReconcileFacts {
  readonly generation: number;
  /** Undefined if the kind does not report it. */
  readonly observedGeneration: number | undefined;
  readonly hasConditions: boolean;
}

/**
 * `progressing` until the controller has reported, and while it has not observed the generation; else undefined (CO16).
 */
export function unreconciledStatus(facts: ReconcileFacts): StatusReport | undefined {
  if (!facts.hasConditions) return createStatusReport("progressing", "NotReconciledYet", "no condition reported yet");
  if (facts.observedGeneration !== undefined && facts.observedGeneration < facts.generation)
    return createStatusReport(
      "progressing",
      "GenerationBehind",
      `generation ${facts.observedGeneration} of ${facts.generation} is observed`,
    );
  return undefined;
}

/** The inputs of the fixed rules. A part that is left out does not apply to the kind. */
export interface FixedRuleFacts {
  readonly terminating?: TerminatingFacts | undefined;
  readonly finished?: FinishedFacts | undefined;
  readonly reconcile?: ReconcileFacts | undefined;
}

/** The status by the fixed rules in their order (CO17); undefined if the kind's rule decides. */
export function fixedStatus(facts: FixedRuleFacts): StatusReport | undefined {
  if (facts.terminating !== undefined) return terminatingStatus(facts.terminating);
  const finished = facts.finished === undefined ? undefined : finishedStatus(facts.finished);
  if (finished !== undefined) return finished;
  return facts.reconcile === undefined ? undefined : unreconciledStatus(facts.reconcile);
}
