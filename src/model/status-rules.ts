// SPDX-License-Identifier: Apache-2.0
// The rules that hold for every kind, as functions of plain facts. A kind's own rule is asked only where these have no answer.
import { unreachable } from "../base/assert.ts";
import { createStatusReport, type StatusReport } from "./status.ts";

/** How long an object may be seen terminating before it counts as stuck (CO15). Five minutes is ten times the default grace period of a Pod. */
export const stuckTerminatingAfterMs = 300_000;

/** What is known of an object that has a deletion timestamp. */
export interface TerminatingFacts {
  /** For how long the observer has seen it so, by the observer's own monotonic clock; its age on another machine's clock is no fact (L20). */
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

/** What a finished Pod or Job says of itself. */
export interface FinishedFacts {
  /** Pod phase Succeeded or Failed; Job condition Complete or Failed being true. Undefined: it is not finished. */
  readonly outcome: "succeeded" | "failed" | undefined;
  readonly reason?: string;
  readonly message?: string;
}

/** `completed` or `unhealthy` for what is finished, undefined for what is not (CO14). */
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

/** How far the object's controller has come, for kinds that report conditions. */
export interface ReconcileFacts {
  readonly generation: number;
  /** Undefined where the kind does not report it. */
  readonly observedGeneration: number | undefined;
  readonly hasConditions: boolean;
}

/** `progressing` while the controller has not looked at the object as it now is, else undefined (CO16). */
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

/** Everything the fixed rules look at; a part that is left out does not apply to the kind. */
export interface FixedRuleFacts {
  readonly terminating?: TerminatingFacts | undefined;
  readonly finished?: FinishedFacts | undefined;
  readonly reconcile?: ReconcileFacts | undefined;
}

/** The answer of the fixed rules in their order (CO17); undefined leaves it to the kind. */
export function fixedStatus(facts: FixedRuleFacts): StatusReport | undefined {
  if (facts.terminating !== undefined) return terminatingStatus(facts.terminating);
  const finished = facts.finished === undefined ? undefined : finishedStatus(facts.finished);
  if (finished !== undefined) return finished;
  return facts.reconcile === undefined ? undefined : unreconciledStatus(facts.reconcile);
}
