// SPDX-License-Identifier: Apache-2.0
// Keeps a session with the hub, forever (SE32, L12). One loop dials, so there is never more than one attempt (N-41).
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import { Backoff } from "../../base/time/backoff.ts";
import { openDeadline } from "../../base/time/deadline.ts";
import { idPrefixes } from "../../model/names.ts";
import { type FlushPace, firstPace } from "../../session/agent/flush-pace.ts";
import { Outbox } from "../../session/agent/outbox.ts";
import { retryDelayMs } from "../../session/agent/retry-time.ts";
import type { SessionEnding } from "../../session/agent/session-event.ts";
import type { AgentSession } from "../../session/agent/session-state.ts";
import type { StreamEnd } from "../../session/transport.ts";
import { runSession } from "./session-run.ts";
import { createUplinkMetrics, type UplinkMetrics } from "./uplink-metrics.ts";
import type { UplinkOptions } from "./uplink-options.ts";
import { describeEnding, type UplinkStatus } from "./uplink-status.ts";

/** Delays of at least this are logged as warnings: an observer has noticed by then. */
const warnFromMs = 10_000;

/**
 * Keeps the hub's rows of this cluster equal to `rows` until `signal` aborts; then sends Goodbye and resolves. Neither
 * a rejection nor a network failure ends it. Throws only for a bug.
 */
export async function runUplink(options: UplinkOptions, signal: AbortSignal): Promise<void> {
  await new Uplink(options).run(signal);
}

class Uplink {
  readonly #options: UplinkOptions;
  readonly #outbox: Outbox;
  readonly #backoff: Backoff;
  readonly #metrics: UplinkMetrics;
  readonly #agentId: string;
  #incarnation: string;
  #pace: FlushPace;
  #status: UplinkStatus;
  #liveSinceMs: number | undefined;

  constructor(options: UplinkOptions) {
    const { clock, random, rows } = options;
    this.#options = options;
    this.#outbox = new Outbox(rows, () => clock.nowMs());
    this.#backoff = new Backoff(options.reconnect);
    this.#metrics = createUplinkMetrics(options.metrics);
    this.#agentId = options.identity.agentId ?? createId(idPrefixes.agent, random);
    this.#incarnation = createId(idPrefixes.incarnation, random);
    this.#pace = firstPace(options.session, clock.nowMs());
    this.#status = {
      state: "dialling",
      reason: "",
      detail: "",
      attemptCount: 0,
      lastAttemptAtMs: clock.wallMs(),
      nextAttemptAtMs: undefined,
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const ending = await this.#attempt(signal);
      this.#metrics.isLive.set({}, 0);
      if (signal.aborted || ending.kind === "left") break;
      await this.#rest(ending, signal);
    }
    this.#setStatus({ state: "stopped", nextAttemptAtMs: undefined });
  }

  async #attempt(signal: AbortSignal): Promise<SessionEnding> {
    const { clock } = this.#options;
    const attemptCount = this.#status.attemptCount + 1;
    this.#setStatus({ state: "dialling", attemptCount, lastAttemptAtMs: clock.wallMs(), nextAttemptAtMs: undefined });
    this.#metrics.attempts.add({});
    try {
      return await this.#runSession(await this.#dial(signal), signal);
    } catch (reason) {
      if (isCancellation(signal, reason)) return { kind: "left" };
      if (!(reason instanceof FlotillaError)) throw reason;
      return { kind: "lost", error: reason };
    }
  }

  async #dial(signal: AbortSignal): Promise<StreamEnd> {
    const { clock, transport, dialTimeoutMs } = this.#options;
    using deadline = openDeadline({ clock, limitMs: dialTimeoutMs, what: "a connection to the hub", signal });
    return await transport.dial(deadline.signal);
  }

  async #runSession(end: StreamEnd, signal: AbortSignal): Promise<SessionEnding> {
    const { clusterId, shard } = this.#options.identity;
    this.#liveSinceMs = undefined;
    const { ending, pace } = await runSession(
      end,
      {
        options: this.#options,
        outbox: this.#outbox,
        identity: { clusterId, shard, agentId: this.#agentId, incarnation: this.#incarnation },
        pace: this.#pace,
        metrics: this.#metrics,
        onState: (session) => this.#onState(session),
      },
      signal,
    );
    this.#pace = pace;
    if (this.#liveSinceMs !== undefined) this.#backoff.succeededFor(this.#options.clock.nowMs() - this.#liveSinceMs);
    return ending;
  }

  #onState(session: AgentSession): void {
    if (session.kind === "ended") return;
    if (session.kind === "held") {
      const { clock, log } = this.#options;
      const nextAttemptAtMs = clock.wallMs() + session.ending.retryAfterMs;
      this.#setStatus({ state: "waiting", ...describeEnding(session.ending), nextAttemptAtMs });
      log.warn("the hub waits for an administrator to approve this agent", describeEnding(session.ending));
      return;
    }
    if (session.kind !== "live") {
      this.#setStatus({ state: session.kind });
      return;
    }
    this.#liveSinceMs = session.sinceMs;
    this.#metrics.isLive.set({}, 1);
    this.#setStatus({ state: "live", reason: "", detail: "", attemptCount: 0 });
    this.#options.log.info("session with the hub is live", { sessionId: String(session.epoch) });
  }

  /** Reports the ending and waits until the next attempt. */
  async #rest(ending: SessionEnding, signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options;
    this.#takeIncarnation(ending);
    const delayMs = retryDelayMs(ending, this.#backoff, random);
    const end = describeEnding(ending);
    this.#metrics.endings.add({ reason: end.reason });
    this.#setStatus({ state: "waiting", ...end, nextAttemptAtMs: clock.wallMs() + delayMs });
    const fields = { ...end, delayMs: Math.round(delayMs), attemptCount: this.#status.attemptCount };
    if (ending.kind === "rejected" || delayMs >= warnFromMs) log.warn("no session with the hub; will retry", fields);
    else log.info("no session with the hub; will retry", fields);
    try {
      await clock.sleep(delayMs, signal);
    } catch (reason) {
      if (!isCancellation(signal, reason)) throw reason;
    }
  }

  /**
   * A live session that the hub ended with PROTOCOL or DIVERGED cannot be resumed. A new incarnation makes the next
   * session prove all rows by digests (SE27).
   */
  #takeIncarnation(ending: SessionEnding): void {
    if (ending.kind !== "rejected" || !ending.wasLive) return;
    if (ending.reason === "PROTOCOL" || ending.reason === "DIVERGED")
      this.#incarnation = createId(idPrefixes.incarnation, this.#options.random);
  }

  #setStatus(change: Partial<UplinkStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#options.onStatus(this.#status);
  }
}
