// SPDX-License-Identifier: Apache-2.0
import { abortReason } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import { WakeUp } from "../../base/queues/wake-up.ts";
import type { Random } from "../../base/random.ts";
import { backoffDelayMs } from "../../base/time/backoff.ts";
import type { Clock } from "../../base/time/clock.ts";
import { KubeError } from "../kube-error.ts";
import type { KubeSource } from "../kube-source.ts";
import { type DiscoveryRoot, loadGroups } from "./load-groups.ts";
import { type GroupVersions, type Served, type ServedResource, toServed } from "./served-resource.ts";

export interface DiscoveryOptions {
  readonly source: KubeSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** `--discovery-interval`. */
  readonly intervalMs: number;
  readonly requestTimeoutMs: number;
  /** Called when everything served is first known, and then after each change. The next request waits for it. */
  readonly onServed: (served: Served) => void | Promise<void>;
  /** Called when a request failed; what was reported before stays valid. Must not throw. */
  readonly onFailed?: (error: KubeError, retryInMs: number) => void;
}

/**
 * A new CustomResourceDefinition appears in the document with some delay, so the request of `askNow` is repeated after
 * these waits.
 */
const followUpsMs: readonly number[] = [1_000, 2_000, 4_000];

/** Lower bound of the time between requests, however often definitions change. */
const minIntervalMs = 1_000;

const firstRetryMs = 1_000;

/** The last answer of one root. */
interface RootState {
  readonly root: DiscoveryRoot;
  etag: string;
  groups: GroupVersions | undefined;
}

/** Tracks what a server serves (KU18). */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #wakeUp = new WakeUp();
  readonly #roots: readonly RootState[] = [
    { root: "/api", etag: "", groups: undefined },
    { root: "/apis", etag: "", groups: undefined },
  ];
  #reportedText = "";
  #failureCount = 0;
  #followUpCount = 0;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  /** Definitions changed: requests at once, and a few more times soon after. */
  askNow(): void {
    this.#followUpCount = 0;
    this.#wakeUp.wake();
  }

  /** Runs until the signal aborts. Rejects with its reason, or with what `onServed` threw. */
  async run(signal: AbortSignal): Promise<void> {
    this.#followUpCount = followUpsMs.length;
    for (;;) {
      const failure = await this.#request(signal);
      await this.#report();
      const waitMs = this.#nextInMs(failure);
      if (failure !== undefined) this.#reportFailure(failure, waitMs);
      await this.#wait(waitMs, signal);
    }
  }

  async #wait(waitMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const startMs = clock.nowMs();
    const isWoken = await this.#wakeUp.waitAtMost(clock, waitMs, signal);
    const leftMs = startMs + minIntervalMs - clock.nowMs();
    if (isWoken && leftMs > 0) await clock.sleep(leftMs, signal);
  }

  #nextInMs(failure: KubeError | undefined): number {
    const { random, intervalMs } = this.#options;
    const followUpMs = followUpsMs[this.#followUpCount];
    this.#followUpCount += 1;
    if (failure !== undefined) {
      const curve = { firstMs: Math.min(firstRetryMs, intervalMs), factor: 2, capMs: intervalMs };
      const delayMs = Math.max(minIntervalMs, failure.retryAfterMs + backoffDelayMs(curve, this.#failureCount, random));
      this.#failureCount += 1;
      return delayMs;
    }
    this.#failureCount = 0;
    return followUpMs ?? intervalMs * (0.9 + 0.2 * random.next());
  }

  /** Requests both roots. Each answer counts by itself. */
  async #request(signal: AbortSignal): Promise<KubeError | undefined> {
    let failure: KubeError | undefined;
    for (const state of this.#roots) {
      try {
        const answer = await loadGroups(this.#options, state, signal);
        if (answer === undefined) continue;
        state.groups = keepKnown(answer.groups, state.groups);
        // The ETag of an incomplete answer is dropped: it would hide that the gaps were filled later.
        state.etag = [...answer.groups.values()].includes(undefined) ? "" : answer.etag;
      } catch (reason) {
        if (signal.aborted) throw abortReason(signal);
        if (!(reason instanceof KubeError)) throw reason;
        failure ??= reason;
      }
    }
    return failure;
  }

  async #report(): Promise<void> {
    const groups = new Map<string, readonly ServedResource[] | undefined>();
    for (const state of this.#roots) {
      if (state.groups === undefined) return;
      for (const [name, resources] of state.groups) groups.set(name, resources);
    }
    const served = toServed(groups);
    const text = JSON.stringify(served);
    if (text === this.#reportedText) return;
    this.#reportedText = text;
    await this.#options.onServed(served);
  }

  #reportFailure(error: KubeError, retryInMs: number): void {
    const { log, onFailed } = this.#options;
    log.debug("discovery failed, will retry", { fault: error.fault, retryInMs: Math.round(retryInMs) });
    onFailed?.(error, retryInMs);
  }
}

/** The answer, with previously known resources where the answer has gaps. */
function keepKnown(answer: GroupVersions, known: GroupVersions | undefined): GroupVersions {
  return new Map(Array.from(answer, ([name, resources]) => [name, resources ?? known?.get(name)]));
}
