// SPDX-License-Identifier: Apache-2.0
// Compares the hub's access decisions with those of each cluster, by samples (RB79 to RB83).
import { isCancellation, throwIfAborted, untilAborted } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import { runTogether } from "../../base/run-together.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { GrantsDrift } from "../../index/access/judge-grants.ts";
import type { Store } from "../../store/store.ts";
import type { AccessFacts } from "./access-facts.ts";
import { ClusterDrifts } from "./cluster-drifts.ts";
import { driftSentence } from "./drift-sentence.ts";
import { driftOf } from "./drift-state.ts";
import { DriftTelemetry } from "./drift-telemetry.ts";
import type { PendingReviews } from "./pending-reviews.ts";
import { type AccessSampler, runSampleRound } from "./sample-round.ts";

export interface AccessDriftOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly facts: Pick<AccessFacts, "reviewing" | "reviewRight">;
  readonly reviews: Pick<PendingReviews, "ask">;
  readonly sampler: AccessSampler;
  /** `--access-samples`: reviews of each cluster a minute; 0: none. */
  readonly samplesPerMinute: number;
  /** False while the hub's RBAC rows of the cluster are not current, such as in a pause. No round begins then. */
  readonly isCurrent: (cluster: string) => boolean;
  /** Called after the drift of a cluster has changed. */
  readonly onDrift?: (cluster: string) => void;
}

/** The drift of a cluster, for administrators. */
export interface DriftView {
  readonly drift: GrantsDrift;
  /** "" without drift. It names a user. */
  readonly sentence: string;
}

interface ClusterRounds {
  dueMs: number;
  isRunning: boolean;
}

const roundMs = 60_000;

/** How often due rounds are looked for. */
const tickMs = 2_000;

/** Most rounds at once: a few of them read rows at a time, the others await agents. */
const maxRoundCount = 64;

/** Runs sample rounds of all clusters. */
export class AccessDrift {
  readonly #options: AccessDriftOptions;
  readonly #telemetry: DriftTelemetry;
  readonly #drifts: ClusterDrifts;
  readonly #byCluster = new Map<string, ClusterRounds>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: AccessDriftOptions) {
    this.#options = options;
    this.#telemetry = new DriftTelemetry(options);
    // Half of a round is left for new samples.
    const maxDiffering = Math.max(1, Math.floor(options.samplesPerMinute / 2));
    this.#drifts = new ClusterDrifts({ ...options, telemetry: this.#telemetry, maxDiffering });
  }

  of(cluster: string): GrantsDrift {
    return driftOf(this.#drifts.of(cluster));
  }

  view(cluster: string): DriftView {
    const state = this.#drifts.of(cluster);
    const canReview = this.#options.samplesPerMinute > 0 && this.#options.facts.reviewRight(cluster) === "allowed";
    return { drift: driftOf(state), sentence: driftSentence(state, canReview) };
  }

  /** Drops the state of a removed cluster. */
  forget(cluster: string): void {
    this.#byCluster.delete(cluster);
    this.#drifts.forget(cluster);
  }

  /** Reads the stored drift. No row may be shown before (RB83). */
  load(): Promise<void> {
    return this.#drifts.load();
  }

  /** Runs rounds until the signal aborts; then rejects with its reason, after the rounds under way have ended. */
  async run(signal: AbortSignal): Promise<void> {
    await runTogether([(both) => this.#drifts.follow(both), (both) => this.#runRounds(both)], signal);
    throwIfAborted(signal);
  }

  async #runRounds(signal: AbortSignal): Promise<void> {
    const { clock, samplesPerMinute } = this.#options;
    if (samplesPerMinute === 0) return untilAborted(signal);
    try {
      for (;;) {
        this.#startDue(signal);
        await clock.sleep(tickMs, signal);
      }
    } finally {
      await Promise.all(this.#running);
    }
  }

  /** The longest due first, so that agents that do not answer delay no other cluster for ever. */
  #startDue(signal: AbortSignal): void {
    const nowMs = this.#options.clock.nowMs();
    const due = Array.from(this.#options.facts.reviewing(), (cluster) => ({ cluster, rounds: this.#roundsOf(cluster) }))
      .filter(({ cluster, rounds }) => !rounds.isRunning && rounds.dueMs <= nowMs && this.#options.isCurrent(cluster))
      .sort((a, b) => a.rounds.dueMs - b.rounds.dueMs);
    for (const { cluster, rounds } of due.slice(0, maxRoundCount - this.#running.size)) {
      const running = this.#runRound(cluster, rounds, signal).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /** The first round of a cluster comes at a random time of a minute. */
  #roundsOf(cluster: string): ClusterRounds {
    const { clock, random } = this.#options;
    const known = this.#byCluster.get(cluster);
    if (known !== undefined) return known;
    const rounds = { dueMs: clock.nowMs() + roundMs * random.next(), isRunning: false };
    this.#byCluster.set(cluster, rounds);
    return rounds;
  }

  /** Never rejects: a failed round changes nothing, and the next one follows. */
  async #runRound(cluster: string, rounds: ClusterRounds, signal: AbortSignal): Promise<void> {
    const { clock, samplesPerMinute: count, log } = this.#options;
    const startedMs = clock.nowMs();
    rounds.isRunning = true;
    rounds.dueMs = startedMs + roundMs;
    try {
      const repeated = this.#drifts.of(cluster).differing.map(({ request }) => request);
      const { round, askedCount } = await runSampleRound(this.#options, { cluster, repeated, count }, signal);
      // Repeated reviews count against the rate (RB79).
      rounds.dueMs = startedMs + (roundMs * Math.max(count, askedCount)) / count;
      if (this.#byCluster.get(cluster) !== rounds) return;
      for (const sample of [...round.repeated, ...round.fresh]) this.#telemetry.countSample(cluster, sample);
      await this.#drifts.applyRound(cluster, round);
    } catch (reason) {
      if (!isCancellation(signal, reason))
        log.warn("access samples of a cluster could not be compared", { cluster }, reason);
    } finally {
      rounds.isRunning = false;
    }
  }
}
