// SPDX-License-Identifier: Apache-2.0
// Compares the hub's access decisions with those of each cluster, by samples (RB79 to RB82).
import { isCancellation, untilAborted } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import type { Counter, Gauge, Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { GrantsDrift } from "../../index/access/judge-grants.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import type { AccessFacts } from "./access-facts.ts";
import { driftSentence } from "./drift-sentence.ts";
import { type DriftRound, type DriftState, driftOf, type JudgedSample, noDrift, stepDrift } from "./drift-state.ts";
import type { DriftDirection, SampleOutcome } from "./judge-sample.ts";
import type { PendingReviews } from "./pending-reviews.ts";
import { type AccessSampler, runSampleRound } from "./sample-round.ts";

export interface AccessDriftOptions {
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
}

/** The drift of a cluster, for administrators. */
export interface DriftView {
  readonly drift: GrantsDrift;
  /** "" without drift. It names a user. */
  readonly sentence: string;
}

interface ClusterRounds {
  state: DriftState;
  dueMs: number;
  isRunning: boolean;
}

const roundMs = 60_000;

/** How often due rounds are looked for. */
const tickMs = 2_000;

/** Most rounds at once: a few of them read rows at a time, the others await agents. */
const maxRoundCount = 64;

const directions: readonly DriftDirection[] = ["shownButDenied", "hiddenButAllowed"];

/** Runs sample rounds and keeps the drift of each cluster, in memory. */
export class AccessDrift {
  readonly #options: AccessDriftOptions;
  readonly #byCluster = new Map<string, ClusterRounds>();
  readonly #running = new Set<Promise<void>>();
  readonly #differences: Counter<"cluster" | "direction">;
  readonly #samples: Counter<"cluster" | "outcome">;
  readonly #drifted: Gauge<"drift">;

  constructor(options: AccessDriftOptions) {
    const { metrics } = options;
    this.#options = options;
    this.#differences = metrics.counter({
      name: metricNames.accessDrift,
      help: "Access decisions that differ from the cluster's own, by direction: shownButDenied or hiddenButAllowed.",
      labels: ["cluster", "direction"],
    });
    this.#samples = metrics.counter({
      name: metricNames.accessSamples,
      help: "Access decisions that were compared with the cluster's own, by outcome.",
      labels: ["cluster", "outcome"],
    });
    this.#drifted = metrics.gauge({
      name: metricNames.accessDriftedClusters,
      help: "Clusters whose own access decisions differ from the hub's, by the drift that counts.",
      labels: ["drift"],
    });
    this.#showDrifted();
  }

  of(cluster: string): GrantsDrift {
    return driftOf(this.#byCluster.get(cluster)?.state ?? noDrift);
  }

  view(cluster: string): DriftView {
    const state = this.#byCluster.get(cluster)?.state ?? noDrift;
    const canReview = this.#options.samplesPerMinute > 0 && this.#options.facts.reviewRight(cluster) === "allowed";
    return { drift: driftOf(state), sentence: driftSentence(state, canReview) };
  }

  /** Drops the state of a removed cluster. */
  forget(cluster: string): void {
    this.#byCluster.delete(cluster);
    this.#showDrifted();
  }

  /** Runs rounds until the signal aborts; then rejects with its reason, after the rounds under way have ended. */
  async run(signal: AbortSignal): Promise<void> {
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
    const rounds = { state: noDrift, dueMs: clock.nowMs() + roundMs * random.next(), isRunning: false };
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
      const repeated = rounds.state.differing.map(({ request }) => request);
      const { round, askedCount } = await runSampleRound(this.#options, { cluster, repeated, count }, signal);
      // Repeated reviews count against the rate (RB79).
      rounds.dueMs = startedMs + (roundMs * Math.max(count, askedCount)) / count;
      if (this.#byCluster.get(cluster) === rounds) this.#takeRound(cluster, rounds, round);
    } catch (reason) {
      if (!isCancellation(signal, reason))
        log.warn("access samples of a cluster could not be compared", { cluster }, reason);
    } finally {
      rounds.isRunning = false;
    }
  }

  #takeRound(cluster: string, rounds: ClusterRounds, round: DriftRound): void {
    const { log, samplesPerMinute } = this.#options;
    const before = driftOf(rounds.state);
    // Half of a round is left for new samples.
    rounds.state = stepDrift(rounds.state, round, Math.max(1, Math.floor(samplesPerMinute / 2)));
    for (const sample of [...round.repeated, ...round.fresh]) this.#count(cluster, sample);
    const drift = driftOf(rounds.state);
    if (drift === before) return;
    this.#showDrifted();
    if (drift === "none") log.info("the cluster's access decisions agree with ours again", { cluster });
    else log.warn("the cluster's access decisions differ from ours", { cluster, drift });
  }

  #count(cluster: string, { request, outcome }: JudgedSample): void {
    this.#samples.add({ cluster, outcome: outcomeLabels[outcome] });
    if (outcome !== "shownButDenied" && outcome !== "hiddenButAllowed") return;
    this.#differences.add({ cluster, direction: outcome });
    const { user, verb, group, resource, namespace, name } = request;
    const fields = { cluster, direction: outcome, user, verb, apiGroup: group, resource, namespace, name };
    this.#options.log.warn("an access decision differs from the cluster's own", fields);
  }

  #showDrifted(): void {
    const counts = new Map<GrantsDrift, number>();
    for (const { state } of this.#byCluster.values()) {
      const drift = driftOf(state);
      counts.set(drift, (counts.get(drift) ?? 0) + 1);
    }
    for (const drift of directions) this.#drifted.set({ drift }, counts.get(drift) ?? 0);
  }
}

/** Both directions are one outcome: the other metric has the direction. */
const outcomeLabels: Readonly<Record<SampleOutcome, string>> = {
  agreed: "agreed",
  shownButDenied: "differed",
  hiddenButAllowed: "differed",
  raced: "raced",
  unanswered: "unanswered",
};
