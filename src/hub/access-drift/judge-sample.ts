// SPDX-License-Identifier: Apache-2.0
import type { GrantsDrift } from "../../index/access/judge-grants.ts";
import type { ReviewVerdict } from "../../session/access-samples/access-sample.ts";

/** The direction of a difference. */
export type DriftDirection = Exclude<GrantsDrift, "none">;

/** One comparison of our answer with the cluster's. */
export interface SampleLook {
  /** Our answer when the cluster was asked. */
  readonly before: boolean;
  readonly verdict: ReviewVerdict;
  /** Our answer after the verdict arrived. */
  readonly after: boolean;
}

/**
 * The result of a sample: both answers are equal; they differ; our answer changed meanwhile, or only the first verdict
 * differed, so the sample shows nothing; the cluster did not answer.
 */
export type SampleOutcome = "agreed" | DriftDirection | "raced" | "unanswered";

/**
 * Judges a sample (RB80). `again` if it differs and has to be looked at a second time, some seconds later: RBAC objects
 * may have changed in the cluster, and their rows be under way.
 */
export function judgeSample(first: SampleLook): Exclude<SampleOutcome, DriftDirection> | "again";
export function judgeSample(first: SampleLook, second: SampleLook): SampleOutcome;
export function judgeSample(first: SampleLook, second?: SampleLook): SampleOutcome | "again" {
  const at = second ?? first;
  if (at.verdict === "unknown") return "unanswered";
  if (at.before !== at.after || first.before !== at.after) return "raced";
  if ((at.verdict === "allowed") === at.after) return second === undefined ? "agreed" : "raced";
  if (second === undefined) return "again";
  return at.after ? "shownButDenied" : "hiddenButAllowed";
}
