// SPDX-License-Identifier: Apache-2.0
// The work of one accepted session: ingest, comparison, liveness, and its end.
import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { rbacResources } from "../../model/rbac-resources.ts";
import { renewalMsOf } from "../../session/hub/claims.ts";
import { type DigestAsk, DigestComparer } from "../../session/hub/compare-digests.ts";
import type { HubSessionEvent } from "../../session/hub/hub-session-types.ts";
import type { DigestsFacts, FlushFacts, HeartbeatFacts, KindFacts } from "../../session/hub/parsed-request.ts";
import { SyncProgress } from "../../session/hub/sync-progress.ts";
import type { TunnelFailure } from "../../session/tunnel/tunnel.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { FleetRows } from "../rows/fleet-rows.ts";
import type { ClaimStore } from "./claim-store.ts";
import type { ObservedEnding, SessionFacts } from "./session-events.ts";
import type { SessionFeed } from "./session-feed.ts";

/**
 * The shortest interval between two probe requests to one agent (SE45). An agent starts probes no more often than this.
 */
const probeAskIntervalMs = 1_000;

/** The dependencies and callbacks of a live session. */
export interface LiveSessionHost {
  readonly clock: Clock;
  readonly log: Logger;
  readonly ingest: Ingest;
  readonly fleetRows: FleetRows;
  readonly claims: ClaimStore;
  readonly feed: SessionFeed;
  /** Counts bytes that were received. `settled` counts them as durable or dropped. */
  received(bytes: number): void;
  settled(bytes: number): void;
  /** The session has proven that the hub holds every row of its cluster. */
  caughtUp(live: LiveSession): void;
  /** The rows of the RBAC kinds are proven equal (L2). */
  grantsProven(cluster: string): void;
  /** A heartbeat arrived. `appliedAtMs` is when rows of the session last became visible, or when the session began. */
  beaten(live: LiveSession, appliedAtMs: number): void;
  /** Tracks the work until it ends. The work never rejects. */
  own(work: Promise<void>): void;
  /** Called once. */
  finished(live: LiveSession, ending: ObservedEnding): void;
}

/** The state of an accepted session outside its state machine. `dispatch` sends events to that machine. */
export class LiveSession {
  readonly session: SessionFacts;
  /** The public key that authenticated the session. */
  readonly publicKey: Uint8Array;
  readonly clusterUid: string;
  /** Whether the agent supports OpenTunnel (TU3). */
  readonly servesTunnels: boolean;
  readonly #host: LiveSessionHost;
  readonly dispatch: (event: HubSessionEvent) => void;
  readonly #progress: SyncProgress;
  readonly #comparer: DigestComparer;
  #expectedBytes = 0;
  #renewedAtMs: number;
  #appliedAtMs: number;
  #isRenewing = false;
  #isFinished = false;
  #isPaused = false;
  #probeAskedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    host: LiveSessionHost,
    given: Pick<LiveSession, "session" | "publicKey" | "clusterUid" | "servesTunnels" | "dispatch">,
  ) {
    this.#host = host;
    this.session = given.session;
    this.publicKey = given.publicKey;
    this.clusterUid = given.clusterUid;
    this.servesTunnels = given.servesTunnels;
    this.dispatch = given.dispatch;
    this.#renewedAtMs = host.clock.nowMs();
    this.#appliedAtMs = this.#renewedAtMs;
    this.#comparer = new DigestComparer(given.session.heartbeatMs);
    this.#progress = new SyncProgress(given.session.heartbeatMs);
  }

  /** Whether an administrator paused the cluster. The Welcome carries this value (SE43). */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Dispatches the change to the session's machine. Returns whether the value changed. */
  setPaused(isPaused: boolean): boolean {
    if (this.#isPaused === isPaused) return false;
    this.#isPaused = isPaused;
    this.dispatch({ kind: "paused", isPaused });
    return true;
  }

  /**
   * Requests an immediate probe of the API server from the agent (SE45). Returns false within a second of the last
   * request.
   */
  askForProbe(): boolean {
    const nowMs = this.#host.clock.nowMs();
    if (nowMs - this.#probeAskedAtMs < probeAskIntervalMs) return false;
    this.#probeAskedAtMs = nowMs;
    this.dispatch({ kind: "probeAsked" });
    return true;
  }

  /** Records a message of this size as a sign of life, and renews the claim when that is due. */
  heard(nowMs: number, bytes: number): void {
    if (!this.#isFinished) this.#publishReceived(bytes, 0, nowMs);
    const isDue = nowMs - this.#renewedAtMs >= renewalMsOf(this.session.heartbeatMs);
    if (!isDue || this.#isRenewing || this.#isFinished) return;
    this.#isRenewing = true;
    this.#host.own(this.#renew(nowMs));
  }

  /** Counts a flush that was received and is waiting to be ingested. */
  expect({ sizeBytes }: FlushFacts): void {
    this.#expectedBytes += sizeBytes;
    this.#host.received(sizeBytes);
  }

  async ingest(flush: FlushFacts): Promise<void> {
    const { ingest, feed, clock } = this.#host;
    const { collectedMsAgo, seq, sizeBytes } = flush;
    const outcome = await ingest.take(this.session, flush, this.#progress.complete);
    if (outcome.kind === "refused") {
      this.dispatch({ kind: "refused", refusal: outcome.refusal });
      return;
    }
    this.#appliedAtMs = clock.nowMs();
    this.#comparer.applied(flush.parts, this.#appliedAtMs);
    const { kinds, objectCount } = outcome;
    if (!this.#isFinished) {
      this.#publishReceived(0, objectCount, this.#appliedAtMs);
      const applied = { seq, collectedMsAgo, kinds };
      feed.publish({ kind: "applied", session: this.session, flush: applied, nowMs: this.#appliedAtMs });
    }
    this.#settle(sizeBytes);
    this.dispatch({ kind: "flushed", seq, sizeBytes });
  }

  /** Returns the digests to request next. They prove the grants of a cluster whose rows are not shown yet (SE49). */
  report(kinds: readonly KindFacts[]): readonly DigestAsk[] {
    const { fleetRows, feed, clock } = this.#host;
    const nowMs = clock.nowMs();
    this.#progress.report(kinds, nowMs);
    this.#comparer.reported(this.#progress.complete);
    feed.publish({ kind: "kindStatuses", session: this.session, kinds, nowMs });
    this.#lookAtProgress();
    const isOfGrants = kinds.some(({ resource }) => rbacResources.includes(resource));
    const isWanted = isOfGrants && !fleetRows.isRbacComplete(this.session.cluster);
    return isWanted && this.#progress.areGrantsFollowed(nowMs) ? [{ kind: "kinds" }] : [];
  }

  /** Returns the digests to request next (SE23). Work runs in order, so all earlier flushes have been applied. */
  compare(digests: DigestsFacts): readonly DigestAsk[] {
    const { fleetRows, feed, clock } = this.#host;
    const { cluster } = this.session;
    const nowMs = clock.nowMs();
    const held = {
      kind: (resource: string) => fleetRows.kindDigest(cluster, resource),
      buckets: (resource: string) => fleetRows.bucketDigests(cluster, resource),
    };
    const comparison = this.#comparer.compare(digests, this.#progress.complete, held, nowMs);
    this.#progress.compared(comparison, digests, nowMs);
    feed.publish({ kind: "compared", session: this.session, comparison, nowMs });
    this.#lookAtProgress();
    if (comparison.diverged === undefined) return comparison.asks;
    const detail = `digests of ${comparison.diverged} stayed unequal after three rounds`;
    this.dispatch({ kind: "refused", refusal: { reason: "diverged", detail } });
    return [];
  }

  heartbeat(heartbeat: HeartbeatFacts): void {
    const { feed, clock } = this.#host;
    feed.publish({ kind: "heartbeat", session: this.session, heartbeat, nowMs: clock.nowMs() });
    this.#host.beaten(this, this.#appliedAtMs);
  }

  tunnelsFailed(failures: readonly TunnelFailure[]): void {
    const { feed, clock } = this.#host;
    feed.publish({ kind: "tunnelsFailed", session: this.session, failures, nowMs: clock.nowMs() });
  }

  /** Ends the session. Later calls have no effect. */
  finish(ending: ObservedEnding): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#settle(this.#expectedBytes);
    this.#host.finished(this, ending);
  }

  #publishReceived(bytes: number, objectCount: number, nowMs: number): void {
    this.#host.feed.publish({ kind: "received", session: this.session, received: { bytes, objectCount }, nowMs });
  }

  /** Counts bytes as durable, or as dropped with the session. Never counts a byte twice. */
  #settle(bytes: number): void {
    const left = Math.min(bytes, this.#expectedBytes);
    assert(left >= 0, "bytes of flushes are not negative");
    this.#expectedBytes -= left;
    this.#host.settled(left);
  }

  #lookAtProgress(): void {
    if (this.#progress.areGrantsProven) this.#host.grantsProven(this.session.cluster);
    if (this.#progress.isCaughtUp) this.#host.caughtUp(this);
  }

  /** The session ends if another holder has the claim. A store failure does not end it: the claim may still be ours. */
  async #renew(nowMs: number): Promise<void> {
    const { cluster, shard } = this.session;
    try {
      const lease = await this.#host.claims.acquire(cluster, shard, this.session);
      this.#renewedAtMs = nowMs;
      if (lease.kind === "taken")
        this.dispatch({
          kind: "cut",
          reason: "superseded",
          detail: `agent ${lease.holder?.agentId ?? "another"} has taken the claim`,
        });
    } catch (reason) {
      this.#host.log.warn("a claim could not be renewed", { cluster }, reason);
    } finally {
      this.#isRenewing = false;
    }
  }
}
