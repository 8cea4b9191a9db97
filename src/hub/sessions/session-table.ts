// SPDX-License-Identifier: Apache-2.0
// The live sessions of this hub, and the requests of the rest of the hub to their agents.

import type { Logger } from "../../base/log.ts";
import type { Gauge } from "../../base/metrics.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { ReviewOrder } from "../../session/access-samples/access-sample.ts";
import type { ObjectHint } from "../../session/hints/hint.ts";
import { claimName } from "../../session/hub/claims.ts";
import type { TunnelOffer } from "../../session/tunnel/tunnel.ts";
import type { ClusterRecord } from "../clusters/cluster-record.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { LiveSession } from "./live-session.ts";
import type { SessionDriver } from "./session-driver.ts";
import type { SessionFacts } from "./session-events.ts";
import type { SessionFeed } from "./session-feed.ts";
import type { HintAsk, LiveView, ProbeAsk, ReviewAsk, TunnelAsk } from "./session-requests.ts";
import { findRevocation } from "./session-revocation.ts";

export interface SessionTableOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: ClusterRegistry;
  readonly feed: SessionFeed;
  readonly liveSessions: Gauge<never>;
}

/** A live session and the driver of its stream. */
interface LiveEntry {
  readonly driver: SessionDriver;
  readonly live: LiveSession;
}

/** At most one live session for each (cluster, shard). */
export class SessionTable {
  readonly #options: SessionTableOptions;
  readonly #entries = new Map<string, LiveEntry>();

  constructor(options: SessionTableOptions) {
    this.#options = options;
    options.feed.subscribe({ ended: ({ session }) => this.#remove(session) });
    options.registry.listen((id, record) => this.#followCluster(id, record));
  }

  /** Adds an accepted session. The feed's `ended` removes it. */
  add(driver: SessionDriver, live: LiveSession): void {
    this.#entries.set(keyOf(live.session), { driver, live });
    this.#options.liveSessions.set({}, this.#entries.size);
    if (live.isPaused) this.#logPause(live);
  }

  has(cluster: string, shard: string): boolean {
    return this.#entries.has(claimName(cluster, shard));
  }

  list(): readonly LiveView[] {
    const nowMs = this.#options.clock.nowMs();
    return Array.from(this.#entries.values(), ({ driver, live }) => {
      return { ...live.session, heardMsAgo: nowMs - driver.lastMessageAtMs };
    });
  }

  /** Requests digests from the agent of this session (SE23). Does nothing if the session has ended. */
  askForDigests(cluster: string, epoch: number): void {
    const entry = this.#collecting(cluster);
    if (entry?.live.session.epoch === epoch) entry.driver.askForDigests();
  }

  /**
   * Requests an immediate probe of the API server from the collecting agent of a cluster. At most one a second, so that
   * any number of viewers costs one message (SE45).
   */
  askForProbe(cluster: string): ProbeAsk {
    const entry = this.#collecting(cluster);
    if (entry === undefined) return "notConnected";
    if (!entry.live.takeProbeTurn()) return "askedBefore";
    entry.driver.dispatch({ kind: "probeAsked" });
    return "asked";
  }

  /** Requests a tunnel from the collecting agent of a cluster (TU1). */
  openTunnel(cluster: string, offer: TunnelOffer): TunnelAsk {
    const entry = this.#collecting(cluster);
    if (entry === undefined) return { kind: "notConnected" };
    if (!entry.live.agent.servesTunnels) return { kind: "notServed" };
    entry.driver.dispatch({ kind: "tunnelWanted", offer });
    return { kind: "asked", epoch: entry.live.session.epoch };
  }

  /**
   * Sends requests to the collecting agent of a cluster for review (SE63). The caller knows that the agent reviews.
   */
  reviewAccess(cluster: string, order: ReviewOrder): ReviewAsk {
    const entry = this.#collecting(cluster);
    if (entry === undefined) return { kind: "notConnected" };
    entry.driver.dispatch({ kind: "reviewWanted", order });
    return { kind: "asked", epoch: entry.live.session.epoch };
  }

  /** Sends a hint to the collecting agent of a cluster (SE65). */
  hintObject(cluster: string, hint: ObjectHint): HintAsk {
    const entry = this.#collecting(cluster);
    if (entry === undefined) return { kind: "notConnected" };
    if (!entry.live.agent.takesHints) return { kind: "notServed" };
    if (entry.live.isPaused) return { kind: "paused" };
    entry.driver.dispatch({ kind: "hintGiven", hint });
    return { kind: "asked", epoch: entry.live.session.epoch };
  }

  /** Ends the live session of a claim, if there is one, in favour of a newer one (SE9, SE10). */
  supersede(cluster: string, shard: string, agentId: string): void {
    const detail = `a newer session of agent ${agentId} took its place`;
    this.#entries.get(claimName(cluster, shard))?.driver.dispatch({ kind: "cut", reason: "superseded", detail });
  }

  #collecting(cluster: string): LiveEntry | undefined {
    return this.#entries.get(claimName(cluster, ""));
  }

  /** A superseded session can end after its successor was added. */
  #remove(session: SessionFacts): void {
    const key = keyOf(session);
    if (this.#entries.get(key)?.live.session !== session) return;
    this.#entries.delete(key);
    this.#options.liveSessions.set({}, this.#entries.size);
  }

  /** Applies an administrator's change to live sessions: revoked, replaced, removed (SE8), paused, resumed (SE43). */
  #followCluster(id: string, record: ClusterRecord | undefined): void {
    for (const { driver, live } of this.#entries.values()) {
      if (live.session.cluster !== id) continue;
      const cut = findRevocation(live.agent, record);
      if (cut !== undefined) driver.dispatch({ kind: "cut", reason: "revoked", detail: cut.detail, rejection: cut });
      else if (record !== undefined) this.#setPaused({ driver, live }, record.pause !== undefined);
    }
  }

  #setPaused({ driver, live }: LiveEntry, isPaused: boolean): void {
    if (live.isPaused === isPaused) return;
    live.isPaused = isPaused;
    driver.dispatch({ kind: "paused", isPaused });
    this.#logPause(live);
  }

  #logPause({ session: { cluster }, isPaused }: LiveSession): void {
    this.#options.log.info("session paused or resumed", { cluster, isPaused });
  }
}

function keyOf({ cluster, shard }: SessionFacts): string {
  return claimName(cluster, shard);
}
