// SPDX-License-Identifier: Apache-2.0
// All sessions of this hub, at most one live session for each (cluster, shard), from accept until its end is stored.
import { isCancellation } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { toFlotillaError } from "../../base/error.ts";
import { KeyedMutex } from "../../base/keyed-mutex.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { passingGuard, type TaskGuard } from "../../base/task-guard.ts";
import { claimName } from "../../session/hub/claims.ts";
import { encodeAnswer } from "../../session/hub/encode-answer.ts";
import type { HubSessionContext } from "../../session/hub/hub-session-types.ts";
import type { HelloFacts } from "../../session/hub/parsed-request.ts";
import type { SessionLimits } from "../../session/hub/session-limits.ts";
import type { Rejection } from "../../session/hub/session-rejections.ts";
import { nonceBytes } from "../../session/proof.ts";
import type { AcceptStream, StreamEnd } from "../../session/transport.ts";
import type { TunnelOffer } from "../../session/tunnel/tunnel.ts";
import type { ClusterRecord } from "../clusters/cluster-record.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { FleetCounters } from "../fleet/fleet-counters.ts";
import type { Ingest } from "../ingest/ingest.ts";
import { type CreditTaker, IngestShares, type IngestSharesOptions } from "../ingest/ingest-shares.ts";
import type { ClusterSize } from "../rows/cluster-limits.ts";
import type { FleetRows } from "../rows/fleet-rows.ts";
import type { ClaimStore } from "./claim-store.ts";
import { heldBesides } from "./held-kinds.ts";
import { HeldStreams } from "./held-streams.ts";
import { judgeCrowd } from "./judge-crowd.ts";
import { LiveSession } from "./live-session.ts";
import type { AdmissionJudgement, SessionAdmission, SessionAttempt, SessionGrant } from "./session-admission.ts";
import { type Decision, SessionDriver } from "./session-driver.ts";
import type { ObservedEnding } from "./session-events.ts";
import type { SessionFeed } from "./session-feed.ts";
import type { LiveView, ProbeAsk, TunnelAsk } from "./session-requests.ts";
import { findRevocation } from "./session-revocation.ts";
import { UnauthenticatedStreams } from "./unauthenticated-streams.ts";

export interface SessionRegistryOptions {
  readonly hubName: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly guard?: TaskGuard;
  readonly limits: SessionLimits;
  readonly clusterLimits: ClusterSize;
  readonly shares: IngestSharesOptions;
  readonly registry: ClusterRegistry;
  readonly sessionAdmission: SessionAdmission;
  readonly claims: ClaimStore;
  readonly ingest: Ingest;
  readonly fleetRows: FleetRows;
  readonly feed: SessionFeed;
  readonly counters: FleetCounters;
  /** Updates the fleet's rows of a cluster from the log, if it is behind. */
  readonly catchUp: (cluster: string, durable: { readonly incarnation: string; readonly seq: number }) => Promise<void>;
  /** How long a closing hub waits for its agents to leave (SE31). */
  readonly drainMs: number;
}

/** The delay before agents of a closing hub reconnect (SE31): about the duration of a restart. */
const drainRetryMs = 2_000;

type Proven = Extract<AdmissionJudgement, { kind: "proven" }>;

interface Live extends CreditTaker {
  readonly driver: SessionDriver;
  readonly live: LiveSession;
}

/** Accepts streams and manages their sessions. */
export class SessionRegistry {
  readonly #options: SessionRegistryOptions;
  readonly #shares: IngestShares<Live>;
  readonly #claimed = new KeyedMutex();
  readonly #live = new Map<string, Live>();
  readonly #drivers = new Map<SessionDriver, Promise<void>>();
  readonly #owned = new Set<Promise<void>>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #greetings = new UnauthenticatedStreams();
  readonly #held = new HeldStreams();
  #isClosing = false;

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
    this.#shares = new IngestShares(options.shares);
    options.registry.listen((id, record) => this.#followCluster(id, record));
  }

  /** Ends the sessions of an earlier process. No attempt is decided before that. */
  async start(): Promise<void> {
    await this.#options.claims.recover();
    this.#ready.resolve();
  }

  readonly accept: AcceptStream = (end, from, noteProven) => {
    const greeted = this.#isClosing ? undefined : this.#greetings.enter(from);
    if (greeted === undefined) {
      this.#turnAway(end);
      return;
    }
    const driver = this.#createDriver(end, from, { greeted, noteProven });
    const running = driver.run().finally(() => this.#drivers.delete(driver) && this.#held.leave(driver));
    this.#drivers.set(driver, running);
  };

  /** The live sessions of this hub. */
  list(): readonly LiveView[] {
    const nowMs = this.#options.clock.nowMs();
    return Array.from(this.#live.values(), ({ driver, live }) => {
      return { ...live.session, heardMsAgo: nowMs - driver.heardAtMs };
    });
  }

  /** Requests digests from the agent of this session (SE23). Does nothing if the session has ended. */
  askForDigests(cluster: string, epoch: number): void {
    const entry = this.#live.get(claimName(cluster, ""));
    if (entry?.live.session.epoch === epoch) entry.driver.askForDigests();
  }

  /**
   * Requests an immediate probe of the API server from the collecting agent of a cluster. At most one a second, so that
   * any number of viewers costs one message (SE45).
   */
  askForProbe(cluster: string): ProbeAsk {
    const entry = this.#live.get(claimName(cluster, ""));
    if (entry === undefined) return "notConnected";
    return entry.live.askForProbe() ? "asked" : "askedBefore";
  }

  /** Requests a tunnel from the collecting agent of a cluster (TU1). */
  openTunnel(cluster: string, offer: TunnelOffer): TunnelAsk {
    const entry = this.#live.get(claimName(cluster, ""));
    if (entry === undefined) return { kind: "notConnected" };
    if (!entry.live.servesTunnels) return { kind: "notServed" };
    entry.live.dispatch({ kind: "tunnelWanted", offer });
    return { kind: "asked", epoch: entry.live.session.epoch };
  }

  /** The bytes received and not durable, and the number of active and waiting first syncs. */
  get load(): { readonly usedBytes: number; readonly active: number; readonly waiting: number } {
    return { usedBytes: this.#shares.usedBytes, ...this.#shares.firstSyncs };
  }

  /**
   * Drains (SE31): notifies the agents, waits for them to leave, and cuts the rest after the drain time. Resolves when
   * no work is left.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#ready.resolve();
    const { clock, drainMs } = this.#options;
    for (const driver of this.#drivers.keys()) driver.dispatch({ kind: "drain", retryAfterMs: drainRetryMs });
    const waited = new AbortController();
    const limit = clock.sleep(drainMs, waited.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#drivers.values()), limit]);
    waited.abort(new Error("all have left"));
    for (const driver of this.#drivers.keys())
      driver.dispatch({ kind: "cut", reason: "hubClosing", detail: "the hub closed" });
    await Promise.all(this.#drivers.values());
    while (this.#owned.size > 0) await Promise.all(this.#owned);
  }

  #createDriver(
    end: StreamEnd,
    from: string,
    { greeted, noteProven }: { readonly greeted: () => void; readonly noteProven: (() => void) | undefined },
  ): SessionDriver {
    const { clock, log, guard = passingGuard, hubName, limits, clusterLimits, random, feed } = this.#options;
    const maxKindCount = clusterLimits.kindCount;
    const context: HubSessionContext = { limits, maxKindCount, nonce: random.bytes(nonceBytes) };
    const driver = new SessionDriver(
      {
        clock,
        log,
        guard,
        hubName,
        context,
        decide: (of, attempt, signal) => this.#decide(of, { ...attempt, noteProven }, signal),
        feed,
        greeted,
      },
      end,
      from,
    );
    return driver;
  }

  /** Rejects a stream with a retry delay, because the limit of greetings is reached or the hub is closing. */
  #turnAway(end: StreamEnd): void {
    const { sessionAdmission, hubName, limits } = this.#options;
    const rejection: Rejection = this.#isClosing
      ? { reason: "OVERLOADED", retryAfterMs: drainRetryMs, detail: "the hub is closing" }
      : sessionAdmission.turnAway("too many agents greet the hub at once");
    const bytes = encodeAnswer({ kind: "rejected", rejection }, { hubName, limits, messageCount: 0 });
    end.send(bytes).catch(() => undefined); // a peer that is gone already learns nothing more
    end.close();
  }

  async #decide(driver: SessionDriver, attempt: SessionAttempt, signal: AbortSignal): Promise<Decision> {
    const { clusterId, shard } = attempt.hello;
    try {
      await this.#ready.promise;
      const { sessionAdmission, registry } = this.#options;
      const before = registry.get(clusterId)?.revision;
      const judged = await sessionAdmission.judge(attempt, signal);
      // A registration change during the judgement has released no stream for this attempt. The attempt is therefore
      // not held, and the agent retries.
      const isSame = registry.get(clusterId)?.revision === before;
      if (judged.kind === "rejected")
        return { ...judged, isHeld: isSame && this.#held.enter(clusterId, driver, judged.rejection) };
      return await this.#claimed.run(claimName(clusterId, shard), () => this.#claim(driver, attempt, judged));
    } catch (reason) {
      const { sessionAdmission, log } = this.#options;
      if (!isCancellation(signal, reason))
        log.warn("a session could not be judged", { cluster: clusterId }, toFlotillaError(reason));
      return {
        kind: "rejected",
        rejection: sessionAdmission.turnAway("the hub's store does not answer"),
        isProven: false,
      };
    }
  }

  async #claim(driver: SessionDriver, attempt: SessionAttempt, proven: Proven): Promise<Decision> {
    const { hello } = attempt;
    const claim = claimName(hello.clusterId, hello.shard);
    const crowded = this.#live.has(claim) ? undefined : judgeCrowd(hello.clusterId, this.list());
    if (crowded !== undefined) return { kind: "rejected", rejection: crowded, isProven: true };
    const granted = await this.#options.sessionAdmission.grant(attempt, proven.key, () => this.#endOlder(claim, hello));
    if (granted.kind === "rejected") return granted;
    try {
      return await this.#welcome(driver, hello, proven, granted);
    } catch (reason) {
      const detail = "the hub could not begin the session";
      await this.#options.claims.end(granted.session, { kind: "lost", reason: "storeFailed", detail });
      throw reason;
    }
  }

  async #welcome(
    driver: SessionDriver,
    hello: HelloFacts,
    { record, key }: Proven,
    grant: SessionGrant,
  ): Promise<Decision> {
    const { sessionAdmission, fleetRows, catchUp, feed, clock, counters, registry } = this.#options;
    const { session, durable } = grant;
    const isCollecting = hello.shard === "";
    if (isCollecting) await catchUp(session.cluster, durable);
    const newest = await sessionAdmission.refresh(record, key, hello);
    const { publicKey } = key;
    const { clusterUid, servesTunnels } = hello;
    const dispatch = driver.dispatch.bind(driver);
    const given = { session, publicKey, clusterUid, servesTunnels, dispatch };
    const live = new LiveSession(this.#createLiveHost(), given);
    const followed = registry.get(session.cluster);
    const judged = followed !== undefined && followed.revision > newest.revision ? followed : newest;
    const revoked = findRevocation(live, judged);
    if (revoked !== undefined) {
      await this.#options.claims.end(session, { kind: "lost", reason: "revoked", detail: revoked.detail });
      return { kind: "rejected", rejection: revoked, isProven: true };
    }
    if (live.setPaused(judged.pause !== undefined)) this.#logPause(live);
    const entry = this.#createEntry(driver, live);
    this.#live.set(claimName(session.cluster, session.shard), entry);
    const isFirstSync = isCollecting && fleetRows.rowCount(session.cluster) === 0;
    const share = isCollecting ? this.#shares.enter(entry, isFirstSync) : { creditBytes: 0, position: 0 };
    const heldResources = isCollecting ? heldBesides(fleetRows.kinds(session.cluster), hello.resources) : [];
    const kinds = new Set([...hello.resources, ...heldResources]);
    feed.publish({ kind: "began", session, kinds, nowMs: clock.nowMs() });
    if (share.position > 0) feed.publish({ kind: "queued", session, position: share.position, nowMs: clock.nowMs() });
    counters.liveSessions.set({}, this.#live.size);
    const { incarnation: durableIncarnation, seq: durableSeq } = durable;
    const accepted = { epoch: session.epoch, durableIncarnation, durableSeq, heldResources, ...share };
    return { kind: "accepted", live, accepted };
  }

  /** Ends the live session of a claim that its agent, or another with the right to it, takes over (SE9, SE10). */
  #endOlder(claim: string, hello: HelloFacts): void {
    const detail = `a newer session of agent ${hello.agentId} took its place`;
    this.#live.get(claim)?.live.dispatch({ kind: "cut", reason: "superseded", detail });
  }

  #createEntry(driver: SessionDriver, live: LiveSession): Live {
    const { feed, clock } = this.#options;
    return {
      driver,
      live,
      tellCredit: (creditBytes, position) => {
        live.dispatch({ kind: "credit", creditBytes, position });
        feed.publish({ kind: "queued", session: live.session, position, nowMs: clock.nowMs() });
      },
    };
  }

  #createLiveHost(): ConstructorParameters<typeof LiveSession>[0] {
    const { clock, log, ingest, fleetRows, claims, feed, counters } = this.#options;
    const entryOf = ({ session }: LiveSession): Live | undefined =>
      this.#live.get(claimName(session.cluster, session.shard));
    const change = (tell: () => void): void => {
      tell();
      counters.ingestBytes.set({}, this.#shares.usedBytes);
    };
    return {
      clock,
      log,
      ingest,
      fleetRows,
      claims,
      feed,
      received: (bytes) => change(() => this.#shares.take(bytes)),
      settled: (bytes) => change(() => this.#shares.give(bytes)),
      caughtUp: (live) => {
        const entry = entryOf(live);
        if (entry?.live === live) this.#shares.caughtUp(entry);
      },
      beaten: (live, appliedAtMs) => {
        const entry = entryOf(live);
        if (entry?.live === live) this.#shares.passIdleTurn(entry, clock.nowMs() - appliedAtMs);
      },
      grantsProven: (cluster) => this.#showRows(cluster),
      own: (work) => this.#own(work),
      finished: (live, ending) => this.#finish(live, ending),
    };
  }

  #own(work: Promise<void>): void {
    this.#owned.add(work);
    void work.finally(() => this.#owned.delete(work));
  }

  /** Shows the rows of the cluster from now on (L2). Stored once, so that a restart shows them at once. */
  #showRows(cluster: string): void {
    const { fleetRows, registry, clock, log } = this.#options;
    if (fleetRows.isRbacComplete(cluster)) return;
    fleetRows.setRbacComplete(cluster, true);
    const rbacCompleteAtMs = clock.wallMs();
    const stored = registry.update(cluster, (record) =>
      record.rbacCompleteAtMs === undefined ? { ...record, rbacCompleteAtMs } : undefined,
    );
    this.#own(
      stored.then(
        () => undefined,
        (reason: unknown) => log.warn("it could not be stored that grants are complete", { cluster }, reason),
      ),
    );
  }

  #finish(live: LiveSession, ending: ObservedEnding): void {
    const { feed, clock, counters, claims, log } = this.#options;
    const { session } = live;
    const claim = claimName(session.cluster, session.shard);
    const entry = this.#live.get(claim);
    if (entry?.live === live) {
      this.#live.delete(claim);
      this.#shares.leave(entry);
      counters.liveSessions.set({}, this.#live.size);
    }
    feed.publish({ kind: "ended", session, ending, nowMs: clock.nowMs() });
    const stored = this.#claimed.run(claim, () => claims.end(session, ending));
    this.#own(
      stored.catch((reason: unknown) => {
        log.warn("the end of a session could not be stored", { cluster: session.cluster }, reason);
      }),
    );
  }

  #logPause({ session, isPaused }: LiveSession): void {
    this.#options.log.info("session paused or let go on", { cluster: session.cluster, isPaused });
  }

  /** Applies an administrator's change to live sessions: revoked, replaced, removed (SE8), paused, resumed (SE43). */
  #followCluster(id: string, record: ClusterRecord | undefined): void {
    this.#held.release(id);
    for (const { live } of this.#live.values()) {
      if (live.session.cluster !== id) continue;
      const cut = findRevocation(live, record);
      if (cut !== undefined) live.dispatch({ kind: "cut", reason: "revoked", detail: cut.detail, rejection: cut });
      else if (record !== undefined && live.setPaused(record.pause !== undefined)) this.#logPause(live);
    }
  }
}
