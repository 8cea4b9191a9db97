// SPDX-License-Identifier: Apache-2.0
// The work of one accepted session: ingest, comparison, liveness, and its end. It returns events for the session's
// state machine and publishes the others; it calls nothing above it.
import { assert } from "../../base/assert.ts";
import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import { rbacResources } from "../../model/rbac-resources.ts";
import type { Digest } from "../../model/rows/digest.ts";
import type { AccessReportFacts, ReviewAnswer } from "../../session/access-samples/access-sample.ts";
import type { HintAnswer } from "../../session/hints/hint.ts";
import { renewalMsOf } from "../../session/hub/claims.ts";
import { type DigestAsk, DigestComparer } from "../../session/hub/compare-digests.ts";
import type { HubSessionEvent } from "../../session/hub/hub-session-types.ts";
import type { DigestsFacts, FlushFacts, HeartbeatFacts, KindFacts } from "../../session/hub/parsed-request.ts";
import type { Refusal } from "../../session/hub/session-rejections.ts";
import { SyncProgress } from "../../session/hub/sync-progress.ts";
import type { TunnelFailure } from "../../session/tunnel/tunnel.ts";
import type { Ingest } from "../ingest/ingest.ts";
import type { CreditReceiver, IngestShares } from "../ingest/ingest-shares.ts";
import type { FleetRows } from "../rows/fleet-rows.ts";
import type { ClaimStore } from "./claim-store.ts";
import type { ObservedEnding, SessionFacts } from "./session-events.ts";
import type { SessionFeed } from "./session-feed.ts";

/**
 * The shortest interval between two probe requests to one agent (SE45). An agent starts probes no more often than this.
 */
const probeAskIntervalMs = 1_000;

/** The parts of the hub that a live session uses. */
export interface LiveSessionParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly ingest: Ingest;
  readonly shares: IngestShares;
  readonly fleetRows: FleetRows;
  readonly claims: ClaimStore;
  readonly feed: SessionFeed;
}

/** The facts of one accepted session that do not change. */
export interface AcceptedAgent {
  readonly session: SessionFacts;
  /** The public key that authenticated the session. */
  readonly publicKey: Uint8Array;
  readonly clusterUid: string;
  /** Whether the agent supports OpenTunnel (TU3). */
  readonly servesTunnels: boolean;
  /** Whether the agent supports ObjectHint (SE65). */
  readonly takesHints: boolean;
  /** Identifies the session's share of the ingest budget, if it has one. */
  readonly creditReceiver: CreditReceiver;
}

/** The state of an accepted session outside its state machine. */
export class LiveSession {
  readonly agent: AcceptedAgent;
  readonly session: SessionFacts;
  /** Whether an administrator paused the cluster. The Welcome carries this value (SE43). */
  isPaused: boolean;
  readonly #parts: LiveSessionParts;
  readonly #progress: SyncProgress;
  readonly #comparer: DigestComparer;
  #expectedBytes = 0;
  #renewedAtMs: number;
  #appliedAtMs: number;
  #isRenewing = false;
  #isFinished = false;
  #probeAskedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: LiveSessionParts, agent: AcceptedAgent, isPaused: boolean) {
    const { heartbeatMs } = agent.session;
    this.#parts = parts;
    this.agent = agent;
    this.session = agent.session;
    this.isPaused = isPaused;
    this.#renewedAtMs = parts.clock.nowMs();
    this.#appliedAtMs = this.#renewedAtMs;
    this.#comparer = new DigestComparer(heartbeatMs);
    this.#progress = new SyncProgress(heartbeatMs);
  }

  /** Whether a probe of the API server may be requested now (SE45). If so, the request counts as sent. */
  takeProbeTurn(): boolean {
    const nowMs = this.#parts.clock.nowMs();
    if (nowMs - this.#probeAskedAtMs < probeAskIntervalMs) return false;
    this.#probeAskedAtMs = nowMs;
    return true;
  }

  /** Records a message of this size. */
  noteMessage(bytes: number, nowMs: number): void {
    if (!this.#isFinished) this.#publishReceived(bytes, 0, nowMs);
  }

  isRenewalDue(nowMs: number): boolean {
    const isDue = nowMs - this.#renewedAtMs >= renewalMsOf(this.session.heartbeatMs);
    return isDue && !this.#isRenewing && !this.#isFinished;
  }

  /**
   * Renews the claim. Resolves to the end of the session if another holder has the claim. A store failure does not end
   * it: the claim may still be ours. Never rejects.
   */
  async renew(nowMs: number): Promise<HubSessionEvent | undefined> {
    const { cluster, shard } = this.session;
    this.#isRenewing = true;
    try {
      const lease = await this.#parts.claims.acquire(cluster, shard, this.session);
      this.#renewedAtMs = nowMs;
      if (lease.kind === "held") return undefined;
      const detail = `agent ${lease.holder?.agentId ?? "another"} has taken the claim`;
      return { kind: "cut", reason: "superseded", detail };
    } catch (reason) {
      this.#parts.log.warn("a claim could not be renewed", { cluster }, reason);
      return undefined;
    } finally {
      this.#isRenewing = false;
    }
  }

  /** Counts a flush that was received and is waiting to be ingested. */
  expect({ sizeBytes }: FlushFacts): void {
    this.#expectedBytes += sizeBytes;
    this.#parts.shares.take(sizeBytes);
  }

  /** Resolves when the flush is durable and visible, or refused. */
  async ingest(flush: FlushFacts): Promise<HubSessionEvent> {
    const { ingest, feed, clock } = this.#parts;
    const { session } = this;
    const { collectedMsAgo, seq, sizeBytes } = flush;
    const outcome = await ingest.take(session, flush, this.#progress.complete);
    if (outcome.kind === "refused") return { kind: "refused", refusal: outcome.refusal };
    const nowMs = clock.nowMs();
    this.#appliedAtMs = nowMs;
    this.#comparer.applied(flush.parts, nowMs);
    if (!this.#isFinished) {
      this.#publishReceived(0, outcome.objectCount, nowMs);
      feed.publish({ kind: "applied", session, flush: { seq, collectedMsAgo, kinds: outcome.kinds }, nowMs });
    }
    this.#settle(sizeBytes);
    return { kind: "flushed", seq, sizeBytes };
  }

  /** Returns the digests to request next. They prove the grants of a cluster whose rows are not shown yet (SE49). */
  report(kinds: readonly KindFacts[]): readonly DigestAsk[] {
    const { fleetRows, feed, clock } = this.#parts;
    const nowMs = clock.nowMs();
    this.#progress.report(kinds, nowMs);
    this.#comparer.reported(this.#progress.complete);
    feed.publish({ kind: "kindStatuses", session: this.session, kinds, nowMs });
    this.#followProgress(nowMs);
    const isOfGrants = kinds.some(({ resource }) => rbacResources.includes(resource));
    const isWanted = isOfGrants && !fleetRows.isRbacComplete(this.session.cluster);
    return isWanted && this.#progress.areGrantsFollowed(nowMs) ? [{ kind: "kinds" }] : [];
  }

  /**
   * Returns the digests to request next (SE23), or the refusal if they stay unequal. Work runs in order, so all earlier
   * flushes have been applied.
   */
  async compare(digests: DigestsFacts): Promise<{ readonly asks: readonly DigestAsk[]; readonly refusal?: Refusal }> {
    const { fleetRows, feed, clock } = this.#parts;
    const { cluster } = this.session;
    const buckets = new Map<string, readonly Digest[]>();
    if (digests.depth === "buckets")
      for (const { resource } of digests.kinds) buckets.set(resource, await fleetRows.bucketDigests(cluster, resource));
    if (this.#isFinished) return { asks: [] };
    const nowMs = clock.nowMs();
    const held = {
      kind: (resource: string) => fleetRows.kindDigest(cluster, resource),
      buckets: (resource: string) => buckets.get(resource) ?? [],
    };
    const comparison = this.#comparer.compare(digests, this.#progress.complete, held, nowMs);
    this.#progress.compared(comparison, digests, nowMs);
    feed.publish({ kind: "compared", session: this.session, comparison, nowMs });
    this.#followProgress(nowMs);
    if (comparison.diverged === undefined) return { asks: comparison.asks };
    const detail = `digests of ${comparison.diverged} stayed unequal after three rounds`;
    return { asks: [], refusal: { reason: "diverged", detail } };
  }

  heartbeat(heartbeat: HeartbeatFacts): void {
    const { feed, clock, shares } = this.#parts;
    const nowMs = clock.nowMs();
    feed.publish({ kind: "heartbeat", session: this.session, heartbeat, nowMs });
    if (!this.#isFinished) shares.passIdleTurn(this.agent.creditReceiver, nowMs - this.#appliedAtMs);
  }

  tunnelsFailed(failures: readonly TunnelFailure[]): void {
    const { feed, clock } = this.#parts;
    feed.publish({ kind: "tunnelsFailed", session: this.session, failures, nowMs: clock.nowMs() });
  }

  accessReported(report: AccessReportFacts): void {
    const { feed, clock } = this.#parts;
    feed.publish({ kind: "accessReported", session: this.session, report, nowMs: clock.nowMs() });
  }

  accessReviewed(answer: ReviewAnswer): void {
    const { feed, clock } = this.#parts;
    feed.publish({ kind: "accessReviewed", session: this.session, answer, nowMs: clock.nowMs() });
  }

  hintsAnswered(answers: readonly HintAnswer[]): void {
    const { feed, clock } = this.#parts;
    feed.publish({ kind: "hintsAnswered", session: this.session, answers, nowMs: clock.nowMs() });
  }

  /** Ends the session. Later calls have no effect. */
  finish(ending: ObservedEnding): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    const { feed, clock, shares } = this.#parts;
    this.#settle(this.#expectedBytes);
    shares.leave(this.agent.creditReceiver);
    feed.publish({ kind: "ended", session: this.session, ending, nowMs: clock.nowMs() });
  }

  #publishReceived(bytes: number, objectCount: number, nowMs: number): void {
    this.#parts.feed.publish({ kind: "received", session: this.session, received: { bytes, objectCount }, nowMs });
  }

  /** Counts bytes as durable, or as dropped with the session. Never counts a byte twice. */
  #settle(bytes: number): void {
    const left = Math.min(bytes, this.#expectedBytes);
    assert(left >= 0, "bytes of flushes are not negative");
    this.#expectedBytes -= left;
    this.#parts.shares.give(left);
  }

  #followProgress(nowMs: number): void {
    const { feed, shares } = this.#parts;
    if (this.#progress.areGrantsProven) feed.publish({ kind: "grantsProven", session: this.session, nowMs });
    if (this.#progress.isCaughtUp && !this.#isFinished) shares.caughtUp(this.agent.creditReceiver);
  }
}
