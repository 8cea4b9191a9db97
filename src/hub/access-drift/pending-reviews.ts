// SPDX-License-Identifier: Apache-2.0
import { orAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { ReviewVerdict, SampledRequest } from "../../session/access-samples/access-sample.ts";
import type { SessionHandlers } from "../sessions/session-events.ts";
import type { SessionTable } from "../sessions/session-table.ts";

export interface PendingReviewsOptions {
  readonly clock: Clock;
  readonly sessions: Pick<SessionTable, "reviewAccess">;
}

/** An order without an answer yet. */
interface PendingReview {
  readonly number: number;
  readonly epoch: number;
  readonly resolve: (verdicts: readonly ReviewVerdict[]) => void;
}

/** Longer than an agent takes for an order (SE63). */
const answerLimitMs = 30_000;

/** Numbers of orders are 32 bits on the wire. */
const maxNumber = 0xffff_ffff;

/** Sends requests to agents for review, and awaits their verdicts. At most one order of a cluster is pending. */
export class PendingReviews {
  readonly #options: PendingReviewsOptions;
  readonly #byCluster = new Map<string, PendingReview>();
  #lastNumber = 0;

  constructor(options: PendingReviewsOptions) {
    this.#options = options;
  }

  /** Only the session that was asked can answer (SE63). */
  readonly handlers = {
    accessReviewed: ({ session: { cluster, shard, epoch }, answer: { number, verdicts } }) => {
      const pending = this.#byCluster.get(cluster);
      if (shard === "" && pending?.epoch === epoch && pending.number === number) pending.resolve(verdicts);
    },
    ended: ({ session: { cluster, shard, epoch } }) => {
      const pending = this.#byCluster.get(cluster);
      if (shard === "" && pending?.epoch === epoch) pending.resolve([]);
    },
  } satisfies SessionHandlers;

  /**
   * The cluster's verdicts in the order of the requests. All are `unknown` if the agent does not answer in time, is not
   * connected, or another order of the cluster is pending. Rejects only with the signal's reason.
   */
  async ask(
    cluster: string,
    requests: readonly SampledRequest[],
    signal: AbortSignal,
  ): Promise<readonly ReviewVerdict[]> {
    const verdicts = this.#byCluster.has(cluster) ? [] : await this.#ask(cluster, requests, signal);
    return requests.map((_request, at) => verdicts[at] ?? "unknown");
  }

  async #ask(
    cluster: string,
    requests: readonly SampledRequest[],
    signal: AbortSignal,
  ): Promise<readonly ReviewVerdict[]> {
    const { clock, sessions } = this.#options;
    this.#lastNumber = this.#lastNumber === maxNumber ? 1 : this.#lastNumber + 1;
    const number = this.#lastNumber;
    const asked = sessions.reviewAccess(cluster, { number, requests });
    if (asked.kind === "notConnected") return [];
    const { promise, resolve } = Promise.withResolvers<readonly ReviewVerdict[]>();
    this.#byCluster.set(cluster, { number, epoch: asked.epoch, resolve });
    const cancel = clock.setTimer(answerLimitMs, () => resolve([]));
    try {
      return await orAborted(promise, signal);
    } finally {
      cancel();
      this.#byCluster.delete(cluster);
    }
  }
}
