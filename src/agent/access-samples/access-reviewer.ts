// SPDX-License-Identifier: Apache-2.0
// The agent's part of access reviews (SE62 to SE64): how the cluster authorizes, and the API server's answers to the
// hub's questions.
import { isCancellation } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import { WakeUp } from "../../base/queues/wake-up.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { openDeadline } from "../../base/time/deadline.ts";
import { isServerFault, KubeError } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { cutText } from "../../model/text.ts";
import {
  type AccessReportFacts,
  type AskedRequest,
  isReviewable,
  maxDetailBytes,
  maxReviewCount,
  type ReviewAnswer,
  type ReviewOrder,
  type ReviewRight,
  type ReviewVerdict,
  type SampledRequest,
} from "../../session/access-samples/access-sample.ts";
import { AccessReviews, type ReviewedAuthorizers } from "./access-reviews.ts";
import { ReviewBudget } from "./review-budget.ts";

export interface AccessReviewerOptions {
  readonly source: KubeSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** `--access-reviews`: whether the hub's questions are answered. */
  readonly allowsReviews: boolean;
}

/** One hour: the authorizers of a cluster change with the configuration of its API server. */
const checkIntervalMs = 3_600_000;

/** The part of the interval that is random in either direction, so that agents do not check at the same time. */
const checkJitter = 0.1;

/** After a check without an answer, and the shortest interval between two checks. */
const recheckMs = 60_000;

const budgetWindowMs = 60_000;

/** For all reviews of one order: below the time that the hub waits (SE63). */
const orderLimitMs = 20_000;

/** Reviews access in one cluster, until disposal. `run` checks the authorizers; `answer` reviews requests. */
export class AccessReviewer implements AsyncDisposable {
  readonly #options: AccessReviewerOptions;
  readonly #reviews: AccessReviews;
  readonly #budget = new ReviewBudget(maxReviewCount, budgetWindowMs);
  readonly #listeners = new Set<() => void>();
  readonly #wakeUp = new WakeUp();
  readonly #closing = new AbortController();
  readonly #working = new Set<Promise<void>>();
  #report: AccessReportFacts | undefined;
  #isReviewing = false;

  constructor(options: AccessReviewerOptions) {
    this.#options = options;
    this.#reviews = new AccessReviews(options.source);
  }

  /** The newest report; undefined before the first check has ended. */
  report(): AccessReportFacts | undefined {
    return this.#report;
  }

  /** Calls back after each check, and after the right to review was refused. Returns the unsubscribe function. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Requests a check now, if the last one is older than a minute. */
  refresh(): void {
    this.#wakeUp.wake();
  }

  /** Checks the authorizers until the signal aborts; then rejects with its reason. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    for (;;) {
      const isAnswered = await this.#check(signal);
      await clock.sleep(recheckMs, signal);
      const jitter = 1 - checkJitter + 2 * checkJitter * random.next();
      if (isAnswered) await this.#wakeUp.waitAtMost(clock, checkIntervalMs * jitter - recheckMs, signal);
    }
  }

  /**
   * Answers an order of the hub asynchronously, one at a time: of an order that comes meanwhile all verdicts are
   * `unknown`. Requests that this agent does not ask about, or not now, get `unknown` (SE64). After disposal nothing is
   * answered.
   */
  answer({ number, requests }: ReviewOrder, reply: (answer: ReviewAnswer) => void): void {
    const { log } = this.#options;
    const working = this.#review(requests)
      .then(
        (verdicts) => {
          if (!this.#closing.signal.aborted) reply({ number, verdicts });
        },
        (reason: unknown) => log.error("access reviews failed", { number }, reason),
      )
      .finally(() => this.#working.delete(working));
    this.#working.add(working);
  }

  /** Ends the reviews under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("the agent stops"));
    await Promise.all(this.#working);
  }

  async #review(requests: readonly AskedRequest[]): Promise<readonly ReviewVerdict[]> {
    const verdicts = requests.map((): ReviewVerdict => "unknown");
    if (this.#isReviewing) return verdicts;
    const { clock } = this.#options;
    this.#isReviewing = true;
    using deadline = openDeadline({
      clock,
      limitMs: orderLimitMs,
      what: "the end of access reviews",
      signal: this.#closing.signal,
    });
    try {
      for (const [at, request] of requests.entries()) {
        if (!isReviewable(request)) continue;
        if (deadline.signal.aborted || this.#report?.reviews !== "allowed" || !this.#budget.take(clock.nowMs())) break;
        verdicts[at] = await this.#verdict(request, deadline.signal);
      }
      return verdicts;
    } finally {
      this.#isReviewing = false;
    }
  }

  async #verdict(request: SampledRequest, signal: AbortSignal): Promise<ReviewVerdict> {
    try {
      return await this.#reviews.verdict(request, signal);
    } catch (reason) {
      if (isCancellation(signal, reason)) return "unknown";
      if (!(reason instanceof KubeError)) throw reason;
      if (reason.fault === "forbidden" || reason.fault === "notFound") this.#loseRight(reason);
      return "unknown";
    }
  }

  #loseRight(error: KubeError): void {
    if (this.#report === undefined) return;
    this.#options.log.warn("the API server refuses SubjectAccessReviews; access is not compared until it allows them", {
      fault: error.fault,
    });
    this.#setReport({ ...this.#report, reviews: "forbidden" });
  }

  /** Makes a new report. False if the API server did not answer. Rejects only with the signal's reason, or a bug. */
  async #check(signal: AbortSignal): Promise<boolean> {
    const found = await orKubeError(this.#reviews.authorizers(signal));
    const right = await this.#findRight(signal);
    this.#setReport({ ...this.#toAuthorizers(found), reviews: right });
    return !(found instanceof KubeError) || !isUnanswered(found);
  }

  /** Without an answer the last result stays: it depends on the configuration of the API server alone. */
  #toAuthorizers(found: ReviewedAuthorizers | KubeError): ReviewedAuthorizers {
    if (!(found instanceof KubeError)) return { ...found, detail: cutText(found.detail, maxDetailBytes) };
    if (this.#report !== undefined && isUnanswered(found)) return this.#report;
    const reason = cutText(found.serverMessage ?? found.fault, maxDetailBytes);
    this.#options.log.warn("the authorizers of the cluster are not known", { fault: found.fault });
    return { authorizers: "unknown", detail: reason };
  }

  /** A right that cannot be found out counts as given: the first review shows it. */
  async #findRight(signal: AbortSignal): Promise<ReviewRight> {
    if (!this.#options.allowsReviews) return "off";
    const found = await orKubeError(this.#reviews.canReview(signal));
    if (!(found instanceof KubeError)) return found ? "allowed" : "forbidden";
    return (isUnanswered(found) ? this.#report?.reviews : undefined) ?? "allowed";
  }

  #setReport(report: AccessReportFacts): void {
    this.#report = report;
    for (const listener of this.#listeners) listener();
  }
}

/** The result, or the KubeError with which the work failed. */
async function orKubeError<T>(work: Promise<T>): Promise<T | KubeError> {
  try {
    return await work;
  } catch (reason) {
    if (reason instanceof KubeError) return reason;
    throw reason;
  }
}

/** The API server gave no decision: it is lost or overloaded. */
function isUnanswered({ fault }: KubeError): boolean {
  return isServerFault(fault) || fault === "overloaded" || fault === "serverError";
}
