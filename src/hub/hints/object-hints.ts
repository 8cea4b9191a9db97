// SPDX-License-Identifier: Apache-2.0
// The hub's end of hints (SE65, SE66, SE69): sends them to agents and awaits the answers. Nothing is queued.
import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Counter, Metrics } from "../../base/metrics.ts";
import type { Clock } from "../../base/time/clock.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import { TokenBucket } from "../../base/time/token-bucket.ts";
import {
  type HintAnswer,
  type HintedObject,
  type HintResult,
  hintRate,
  maxHintsOfCluster,
} from "../../session/hints/hint.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import type { SessionHandlers } from "../sessions/session-events.ts";
import type { SessionTable } from "../sessions/session-table.ts";

export interface ObjectHintsOptions {
  readonly sessions: Pick<SessionTable, "hintObject">;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** One hint of a caller. */
export interface GivenHint {
  readonly cluster: string;
  readonly object: HintedObject;
  readonly user: string;
  /** Receives the log line of this hint. */
  readonly log: Logger;
}

/** The result at the agent, or `clusterAway` if there was none because the agent is not connected. */
export type HintOutcome = HintResult | "clusterAway";

/** A hint without an answer yet. */
interface PendingHint {
  /** Of the session in which it was sent; undefined before that. */
  epoch: number | undefined;
  readonly resolve: (result: HintAnswer["result"] | "clusterAway") => void;
}

/** SE66: longer than an agent reads. */
const answerLimitMs = 10_000;

/** Numbers of hints are 32 bits on the wire. */
const maxNumber = 0xffff_ffff;

/** The hints of all clusters that await their answer. */
export class ObjectHints {
  readonly #options: ObjectHintsOptions;
  /** By cluster, then by number. */
  readonly #pending = new Map<string, Map<number, PendingHint>>();
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #given: Counter<"outcome">;
  #lastNumber = 0;

  constructor(options: ObjectHintsOptions) {
    this.#options = options;
    this.#given = options.metrics.counter({
      name: metricNames.hints,
      help: "Hints of other systems, by outcome: refreshed, unchanged, notFound, leftToWatch, clusterAway, an error code, or left when the caller disconnected.",
      labels: ["outcome"],
    });
  }

  /** Only the session in which a hint was sent can answer it. Sessions of other shards take no hints. */
  readonly handlers = {
    hintsAnswered: ({ session: { cluster, shard, epoch }, answers }) => {
      if (shard !== "") return;
      for (const { number, result } of answers) {
        const pending = this.#pending.get(cluster)?.get(number);
        if (pending?.epoch === epoch) pending.resolve(result);
      }
    },
    ended: ({ session: { cluster, shard, epoch } }) => {
      if (shard !== "") return;
      // A session can end while a hint is being sent in it.
      for (const pending of this.#pending.get(cluster)?.values() ?? [])
        if ((pending.epoch ?? epoch) === epoch) pending.resolve("clusterAway");
    },
  } satisfies SessionHandlers;

  /** Drops the state of a removed cluster. */
  forget(cluster: string): void {
    this.#buckets.delete(cluster);
  }

  /**
   * Sends a hint and resolves with what became of it. Rejects with the agent's refusal, OVERLOADED over a limit,
   * UNIMPLEMENTED for an older agent, UNAVAILABLE for a paused cluster, DEADLINE_EXCEEDED, or the signal's reason.
   */
  async give(given: GivenHint, signal: AbortSignal): Promise<HintOutcome> {
    const { clock } = this.#options;
    const startedAtMs = clock.nowMs();
    let outcome = "left";
    try {
      const result = await this.#give(given, signal);
      outcome = result;
      return result;
    } catch (reason) {
      if (!signal.aborted) outcome = toFlotillaError(reason).code;
      throw reason;
    } finally {
      this.#given.add({ outcome });
      const { cluster, object, user, log } = given;
      log.info("object hinted", { cluster, user, ...object, outcome, tookMs: Math.round(clock.nowMs() - startedAtMs) });
    }
  }

  async #give({ cluster, object }: GivenHint, signal: AbortSignal): Promise<HintOutcome> {
    const { clock } = this.#options;
    const hints = this.#pending.getOrInsertComputed(cluster, () => new Map<number, PendingHint>());
    this.#takePlace(cluster, hints.size);
    this.#lastNumber = this.#lastNumber === maxNumber ? 1 : this.#lastNumber + 1;
    const number = this.#lastNumber;
    const { promise, resolve } = Promise.withResolvers<HintAnswer["result"] | "clusterAway">();
    const pending: PendingHint = { epoch: undefined, resolve };
    hints.set(number, pending);
    try {
      pending.epoch = this.#send(cluster, { number, ...object });
      if (pending.epoch === undefined) return "clusterAway";
      const what = `the answer of the agent of ${cluster}`;
      const result = await withDeadline(() => promise, { clock, limitMs: answerLimitMs, what, signal });
      if (!(result instanceof FlotillaError)) return result;
      throw new FlotillaError(result.code, `the agent of ${cluster} did not follow the hint: ${result.message}`);
    } finally {
      hints.delete(number);
      if (hints.size === 0) this.#pending.delete(cluster);
    }
  }

  /** Throws OVERLOADED over a limit of the cluster (SE66). */
  #takePlace(cluster: string, pendingCount: number): void {
    const { burstCount, perSecond } = hintRate;
    if (pendingCount >= maxHintsOfCluster)
      throw new FlotillaError("OVERLOADED", `${pendingCount} hints of ${cluster} await their answer; try again later`);
    const bucket = this.#buckets.getOrInsertComputed(cluster, () => new TokenBucket(hintRate));
    if (bucket.take(this.#options.clock.nowMs())) return;
    throw new FlotillaError(
      "OVERLOADED",
      `${cluster} takes ${perSecond} hints a second, and ${burstCount} at once after a pause; try again later`,
    );
  }

  /** The epoch of the session in which the hint was sent; undefined if the agent is not connected. */
  #send(cluster: string, hint: HintedObject & { readonly number: number }): number | undefined {
    const asked = this.#options.sessions.hintObject(cluster, hint);
    switch (asked.kind) {
      case "asked":
        return asked.epoch;
      case "notConnected":
        return undefined;
      case "notServed":
        throw new FlotillaError(
          "UNIMPLEMENTED",
          `the agent of ${cluster} takes no hints; upgrade it to the version of the hub`,
        );
      case "paused":
        throw new FlotillaError(
          "UNAVAILABLE",
          `${cluster} is paused, so its rows do not change; \`flotilla cluster resume ${cluster}\` resumes it`,
        );
    }
  }
}
