// SPDX-License-Identifier: Apache-2.0
// Accepts the streams of agents, and drains them when the hub closes.

import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { TaskGuard } from "../../base/task-guard.ts";
import type { Clock } from "../../base/time/clock.ts";
import { encodeAnswer } from "../../session/hub/encode-answer.ts";
import type { SessionLimits } from "../../session/hub/session-limits.ts";
import type { Rejection } from "../../session/hub/session-rejections.ts";
import { nonceBytes } from "../../session/proof.ts";
import type { AcceptStream, StreamEnd } from "../../session/transport.ts";
import type { ClaimStore } from "./claim-store.ts";
import type { HeldStreams } from "./held-streams.ts";
import type { SessionAdmission } from "./session-admission.ts";
import { SessionDriver, type SessionDriverParts } from "./session-driver.ts";
import type { SessionFeed } from "./session-feed.ts";
import type { SessionOpener } from "./session-opener.ts";
import { UnauthenticatedStreams } from "./unauthenticated-streams.ts";

export interface StreamAcceptorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly guard: TaskGuard;
  readonly feed: SessionFeed;
  readonly hubName: string;
  readonly limits: SessionLimits;
  /** `--max-cluster-kinds`. */
  readonly maxKindCount: number;
  /** How long a closing hub waits for its agents to leave (SE31). */
  readonly drainMs: number;
  readonly claims: Pick<ClaimStore, "recover">;
  readonly admission: Pick<SessionAdmission, "rejectOverload">;
  readonly held: HeldStreams;
  readonly opener: SessionOpener;
}

/** The delay before agents of a closing hub reconnect (SE31): about the duration of a restart. */
const drainRetryMs = 2_000;

export class StreamAcceptor {
  readonly #options: StreamAcceptorOptions;
  readonly #drivers = new Map<SessionDriver, Promise<void>>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #greetings = new UnauthenticatedStreams();
  #isClosing = false;

  constructor(options: StreamAcceptorOptions) {
    this.#options = options;
  }

  /** Ends the sessions of an earlier process. No attempt is decided before that. */
  async start(): Promise<void> {
    await this.#options.claims.recover();
    this.#ready.resolve();
  }

  /** Runs the session of a stream until it ends. */
  readonly accept: AcceptStream = (end, from, noteProven) => {
    const { clock, random, log, guard, feed, hubName, limits, maxKindCount, held, opener } = this.#options;
    const leaveGreeting = this.#isClosing ? undefined : this.#greetings.enter(from);
    if (leaveGreeting === undefined) {
      this.#rejectStream(end);
      return;
    }
    const context = { limits, maxKindCount, nonce: random.bytes(nonceBytes) };
    const admit: SessionDriverParts["admit"] = async (attempt, signal) => {
      await this.#ready.promise;
      return opener.open(driver, { ...attempt, noteProven }, signal);
    };
    const driver = new SessionDriver({ clock, log, guard, feed, hubName, context, admit }, end, from);
    void driver.greeted.then(leaveGreeting);
    this.#drivers.set(
      driver,
      driver.run().finally(() => {
        this.#drivers.delete(driver);
        held.leave(driver);
      }),
    );
  };

  /**
   * Drains (SE31): notifies the agents, waits for them to leave, and cuts the rest after the drain time. Resolves when
   * no work is left.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#ready.resolve();
    const { clock, drainMs, opener } = this.#options;
    for (const driver of this.#drivers.keys()) driver.dispatch({ kind: "drain", retryAfterMs: drainRetryMs });
    const waited = new AbortController();
    const limit = clock.sleep(drainMs, waited.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#drivers.values()), limit]);
    waited.abort(new Error("all agents have left"));
    for (const driver of this.#drivers.keys())
      driver.dispatch({ kind: "cut", reason: "hubClosing", detail: "the hub closed" });
    await Promise.all(this.#drivers.values());
    await opener.settled();
  }

  /** Rejects a stream with a retry delay, because the limit of greetings is reached or the hub is closing. */
  #rejectStream(end: StreamEnd): void {
    const { admission, hubName, limits } = this.#options;
    const rejection: Rejection = this.#isClosing
      ? { reason: "OVERLOADED", retryAfterMs: drainRetryMs, detail: "the hub is closing" }
      : admission.rejectOverload("too many agents connect to the hub at once");
    const bytes = encodeAnswer({ kind: "rejected", rejection }, { hubName, limits, messageCount: 0 });
    end.send(bytes).catch(() => undefined); // a client that has left already needs no answer
    end.close();
  }
}
