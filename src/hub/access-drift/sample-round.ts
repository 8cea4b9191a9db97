// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import {
  type AccessSample,
  isReviewable,
  type SampledRequest,
  takeOrder,
} from "../../session/access-samples/access-sample.ts";
import { type DriftRound, isSameRequest, type JudgedSample } from "./drift-state.ts";
import { judgeSample, type SampleLook } from "./judge-sample.ts";
import type { PendingReviews } from "./pending-reviews.ts";

/** Our side of the comparison: the hub's own access decisions. */
export interface AccessSampler {
  /**
   * At most `count` samples of a cluster: requests of users that asked lately, for objects that they see and objects
   * that they do not see. None if no user has asked. Rejects if the cluster's rows cannot be read.
   */
  drawSamples(cluster: string, count: number): Promise<readonly AccessSample[]>;
  /** Whether we allow the requests now, in their order. Rejects if the cluster's rows cannot be read. */
  answer(cluster: string, requests: readonly SampledRequest[]): Promise<readonly boolean[]>;
}

export interface SampleRoundOptions {
  readonly clock: Clock;
  readonly reviews: Pick<PendingReviews, "ask">;
  readonly sampler: AccessSampler;
}

/** A round of a cluster: the requests to ask again, and the number of samples in all. */
export interface RoundPlan {
  readonly cluster: string;
  readonly repeated: readonly SampledRequest[];
  readonly count: number;
}

/** A round, and the number of reviews that it took, repeated ones included. */
export interface RoundResult {
  readonly round: DriftRound;
  readonly askedCount: number;
}

/** RB80: rows of changed RBAC objects reach the hub within this time while the agent's watch works. */
const secondLookMs = 5_000;

/** A sample under way. */
interface Trial {
  readonly request: SampledRequest;
  readonly isRepeated: boolean;
  readonly before: boolean;
}

/**
 * Compares samples with the cluster's own answers, those that differ twice (RB80). Rejects with the signal's reason, or
 * with the error of the sampler.
 */
export async function runSampleRound(
  options: SampleRoundOptions,
  plan: RoundPlan,
  signal: AbortSignal,
): Promise<RoundResult> {
  const trials = await planTrials(options.sampler, plan);
  const first = await lookAt(options, plan.cluster, trials, signal);
  const differing = trials.filter((trial) => judgeSample(lookOf(first, trial)) === "again");
  if (differing.length > 0) await options.clock.sleep(secondLookMs, signal);
  const second = await lookAt(options, plan.cluster, differing, signal);
  const judged = trials.map((trial) => {
    const outcome = judgeSample(lookOf(first, trial));
    return { trial, outcome: outcome === "again" ? judgeSample(lookOf(first, trial), lookOf(second, trial)) : outcome };
  });
  const of = (isRepeated: boolean): readonly JudgedSample[] =>
    judged.flatMap(({ trial, outcome }) =>
      trial.isRepeated === isRepeated ? [{ request: trial.request, outcome }] : [],
    );
  return { round: { repeated: of(true), fresh: of(false) }, askedCount: trials.length + differing.length };
}

type Looks = ReadonlyMap<Trial, SampleLook>;

function lookOf(looks: Looks, trial: Trial): SampleLook {
  return looks.get(trial) ?? { before: trial.before, verdict: "unknown", after: trial.before };
}

async function planTrials(sampler: AccessSampler, { cluster, repeated, count }: RoundPlan): Promise<readonly Trial[]> {
  const again = repeated.slice(0, count);
  const answers = again.length === 0 ? [] : await sampler.answer(cluster, again);
  const freshCount = count - again.length;
  const drawn = freshCount === 0 ? [] : await sampler.drawSamples(cluster, freshCount);
  const fresh = drawn.filter((sample) => isReviewable(sample) && again.every((each) => !isSameRequest(each, sample)));
  const trials = [
    ...again.map((request, at) => ({ request, isRepeated: true, before: answers[at] ?? false })),
    ...fresh.slice(0, freshCount).map(({ isAllowed, ...request }) => {
      return { request, isRepeated: false, before: isAllowed };
    }),
  ];
  const fitting = takeOrder(trials.map(({ request }) => request)).length;
  return trials.slice(0, fitting);
}

/** Our answers are computed again after the verdicts arrived. */
async function lookAt(
  { reviews, sampler }: SampleRoundOptions,
  cluster: string,
  trials: readonly Trial[],
  signal: AbortSignal,
): Promise<Looks> {
  if (trials.length === 0) return new Map();
  const requests = trials.map(({ request }) => request);
  const verdicts = await reviews.ask(cluster, requests, signal);
  const answers = verdicts.some((verdict) => verdict !== "unknown") ? await sampler.answer(cluster, requests) : [];
  return new Map(
    trials.map((trial, at) => {
      const { before } = trial;
      // An answer that is missing shows nothing, as a changed one.
      return [trial, { before, verdict: verdicts[at] ?? "unknown", after: answers[at] ?? !before }];
    }),
  );
}
