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
import type { ClaimStore } from "./claim-store.ts";
import type { FleetObserver, ObservedEnding, SessionFacts } from "./fleet-observer.ts";
import type { Ingest } from "./ingest.ts";
import type { Picture } from "./picture.ts";

/** An agent is asked for a probe no more often (SE45); it starts none more often either. */
const probeAskIntervalMs = 1_000;

/** What a live session uses and whom it tells. */
export interface LiveSessionHost {
  readonly clock: Clock;
  readonly log: Logger;
  readonly ingest: Ingest;
  readonly picture: Picture;
  readonly claims: ClaimStore;
  readonly observer: FleetObserver;
  /** Bytes came, or are dealt with. */
  received(bytes: number): void;
  settled(bytes: number): void;
  /** The session has shown that the hub holds all of its cluster. */
  caughtUp(live: LiveSession): void;
  /** The rows of the RBAC kinds are proven equal (L2). */
  grantsProven(cluster: string): void;
  /** A heartbeat came; `appliedAtMs` is when rows of the session last became visible, or when it began. */
  beaten(live: LiveSession, appliedAtMs: number): void;
  /** Keeps work until it has ended; it never rejects. */
  own(work: Promise<void>): void;
  /** Called once. */
  finished(live: LiveSession, ending: ObservedEnding): void;
}

/** Owns what a session has beyond its machine. `dispatch` is the machine's. */
export class LiveSession {
  readonly session: SessionFacts;
  /** The key that proved it. */
  readonly publicKey: Uint8Array;
  readonly clusterUid: string;
  /** Whether its agent answers OpenTunnel (TU3). */
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

  /** Whether an administrator has paused the cluster; what the Welcome says (SE43). */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Tells the agent, where it is told of a change; before the Welcome that says it by itself. True when it changed. */
  setPaused(isPaused: boolean): boolean {
    if (this.#isPaused === isPaused) return false;
    this.#isPaused = isPaused;
    this.dispatch({ kind: "paused", isPaused });
    return true;
  }

  /** Has the agent try its API server now (SE45). False when it was asked less than a second ago. */
  askForProbe(): boolean {
    const nowMs = this.#host.clock.nowMs();
    if (nowMs - this.#probeAskedAtMs < probeAskIntervalMs) return false;
    this.#probeAskedAtMs = nowMs;
    this.dispatch({ kind: "probeAsked" });
    return true;
  }

  /** A message of that many bytes came: a sign of life, by which the claim is renewed where that is due. */
  heard(nowMs: number, bytes: number): void {
    if (!this.#isFinished) this.#host.observer.received(this.session, { bytes, objectCount: 0 }, nowMs);
    const isDue = nowMs - this.#renewedAtMs >= renewalMsOf(this.session.heartbeatMs);
    if (!isDue || this.#isRenewing || this.#isFinished) return;
    this.#isRenewing = true;
    this.#host.own(this.#renew(nowMs));
  }

  /** A flush was received and waits for its turn. */
  expect({ sizeBytes }: FlushFacts): void {
    this.#expectedBytes += sizeBytes;
    this.#host.received(sizeBytes);
  }

  async ingest(flush: FlushFacts): Promise<void> {
    const { ingest, observer, clock } = this.#host;
    const { collectedMsAgo, seq, sizeBytes } = flush;
    const outcome = await ingest.take(this.session, flush, this.#progress.complete);
    if (outcome.kind === "refused") {
      this.dispatch({ kind: "refused", refusal: outcome.refusal });
      return;
    }
    this.#appliedAtMs = clock.nowMs();
    this.#comparer.applied(flush.parts, this.#appliedAtMs);
    const { kinds, objectCount } = outcome;
    if (!this.#isFinished) observer.received(this.session, { bytes: 0, objectCount }, this.#appliedAtMs);
    if (!this.#isFinished) observer.applied(this.session, { seq, collectedMsAgo, kinds }, this.#appliedAtMs);
    this.#settle(sizeBytes);
    this.dispatch({ kind: "flushed", seq, sizeBytes });
  }

  /** What to ask for next: digests that can prove the grants of a cluster whose rows are not shown yet (SE49). */
  report(kinds: readonly KindFacts[]): readonly DigestAsk[] {
    const { picture, observer, clock } = this.#host;
    const nowMs = clock.nowMs();
    this.#progress.report(kinds, nowMs);
    this.#comparer.reported(this.#progress.complete);
    observer.kindStatuses(this.session, kinds, nowMs);
    this.#lookAtProgress();
    const isOfGrants = kinds.some(({ resource }) => rbacResources.includes(resource));
    const isWanted = isOfGrants && !picture.isRbacComplete(this.session.cluster);
    return isWanted && this.#progress.areGrantsFollowed(nowMs) ? [{ kind: "kinds" }] : [];
  }

  /** What to ask for next (SE23). The flushes before it are applied: work is done in order. */
  compare(digests: DigestsFacts): readonly DigestAsk[] {
    const { picture, observer, clock } = this.#host;
    const { cluster } = this.session;
    const nowMs = clock.nowMs();
    const held = {
      kind: (resource: string) => picture.kindDigest(cluster, resource),
      buckets: (resource: string) => picture.bucketDigests(cluster, resource),
    };
    const comparison = this.#comparer.compare(digests, this.#progress.complete, held, nowMs);
    this.#progress.compared(comparison, digests, nowMs);
    observer.compared(this.session, comparison, nowMs);
    this.#lookAtProgress();
    if (comparison.diverged === undefined) return comparison.asks;
    const detail = `digests of ${comparison.diverged} stayed unequal after three rounds`;
    this.dispatch({ kind: "refused", refusal: { reason: "diverged", detail } });
    return [];
  }

  heartbeat(heartbeat: HeartbeatFacts): void {
    this.#host.observer.heartbeat(this.session, heartbeat, this.#host.clock.nowMs());
    this.#host.beaten(this, this.#appliedAtMs);
  }

  tunnelsFailed(failures: readonly TunnelFailure[]): void {
    this.#host.observer.tunnelsFailed(this.session, failures, this.#host.clock.nowMs());
  }

  /** The session is over; the second call does nothing. */
  finish(ending: ObservedEnding): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#settle(this.#expectedBytes);
    this.#host.finished(this, ending);
  }

  /** Bytes are durable, or dropped with the session; never counted twice. */
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

  /** Another holder of the claim ends this session; a store that cannot answer does not, for the claim may still be ours. */
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
