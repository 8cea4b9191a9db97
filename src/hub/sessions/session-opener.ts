// SPDX-License-Identifier: Apache-2.0
// Opens sessions: from a proven Hello to a live session whose Welcome can be sent, and stores its end.
import { isCancellation } from "../../base/abort.ts";
import { toFlotillaError } from "../../base/error.ts";
import { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import { claimName } from "../../session/hub/claims.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { HeldStreams } from "./held-streams.ts";
import { LiveSession, type LiveSessionParts } from "./live-session.ts";
import type { AdmissionJudgement, SessionAdmission, SessionAttempt, SessionGrant } from "./session-admission.ts";
import { checkSessionCount } from "./session-count.ts";
import type { Decision, SessionDriver } from "./session-driver.ts";
import type { ObservedEnding, SessionFacts } from "./session-events.ts";
import { findRevocation } from "./session-revocation.ts";
import type { SessionTable } from "./session-table.ts";
import { findUnnamedKinds } from "./unnamed-kinds.ts";

export interface SessionOpenerOptions {
  readonly live: LiveSessionParts;
  readonly registry: ClusterRegistry;
  readonly admission: SessionAdmission;
  readonly held: HeldStreams;
  readonly table: SessionTable;
  /** Updates the fleet's rows of a cluster from the log, if they are behind. */
  readonly catchUp: (cluster: string, durable: { readonly incarnation: string; readonly seq: number }) => Promise<void>;
}

type Proven = Extract<AdmissionJudgement, { kind: "proven" }>;

/** Decides attempts, one at a time for each (cluster, shard). */
export class SessionOpener {
  readonly #options: SessionOpenerOptions;
  readonly #claimed = new KeyedMutex();
  readonly #storing = new Set<Promise<void>>();

  constructor(options: SessionOpenerOptions) {
    this.#options = options;
    options.live.feed.subscribe({ ended: ({ session, ending }) => this.#storeEnd(session, ending) });
  }

  /** Never rejects: failures become rejections of the attempt. */
  async open(driver: SessionDriver, attempt: SessionAttempt, signal: AbortSignal): Promise<Decision> {
    const { admission, registry, held, live } = this.#options;
    const { clusterId, shard } = attempt.hello;
    try {
      const before = registry.get(clusterId)?.revision;
      const judged = await admission.judge(attempt, signal);
      // A registration change during the judgement has released no stream for this attempt. The attempt is therefore
      // not held, and the agent retries.
      const isSame = registry.get(clusterId)?.revision === before;
      if (judged.kind === "rejected")
        return { ...judged, isHeld: isSame && held.enter(clusterId, driver, judged.rejection) };
      return await this.#claimed.run(claimName(clusterId, shard), () => this.#claim(driver, attempt, judged));
    } catch (reason) {
      if (!isCancellation(signal, reason))
        live.log.warn("a session attempt could not be decided", { cluster: clusterId }, toFlotillaError(reason));
      const rejection = admission.rejectOverload("the hub's store does not answer");
      return { kind: "rejected", rejection, isProven: false };
    }
  }

  /** Resolves when the ends of all ended sessions are stored, or could not be. */
  async settled(): Promise<void> {
    while (this.#storing.size > 0) await Promise.all(this.#storing);
  }

  async #claim(driver: SessionDriver, attempt: SessionAttempt, proven: Proven): Promise<Decision> {
    const { table, admission, live } = this.#options;
    const { clusterId, shard, agentId } = attempt.hello;
    const excess = table.has(clusterId, shard) ? undefined : checkSessionCount(clusterId, table.list());
    if (excess !== undefined) return { kind: "rejected", rejection: excess, isProven: true };
    const granted = await admission.grant(attempt, proven.key, () => table.supersede(clusterId, shard, agentId));
    if (granted.kind === "rejected") return granted;
    try {
      return await this.#welcome(driver, attempt, proven, granted);
    } catch (reason) {
      const detail = "the hub could not begin the session";
      await live.claims.end(granted.session, { kind: "lost", reason: "storeFailed", detail });
      throw reason;
    }
  }

  async #welcome(
    driver: SessionDriver,
    { hello }: SessionAttempt,
    { record, key }: Proven,
    { session, durable }: SessionGrant,
  ): Promise<Decision> {
    const { admission, catchUp, registry, table, live: parts } = this.#options;
    const { fleetRows, shares, feed, clock } = parts;
    const isCollecting = hello.shard === "";
    if (isCollecting) await catchUp(session.cluster, durable);
    const newest = await admission.refresh(record, key, hello);
    const followed = registry.get(session.cluster);
    const judged = followed !== undefined && followed.revision > newest.revision ? followed : newest;
    const { clusterUid, servesTunnels, takesHints } = hello;
    const creditReceiver = {
      setCredit(creditBytes: number, position: number): void {
        driver.dispatch({ kind: "credit", creditBytes, position });
        feed.publish({ kind: "queued", session, position, nowMs: clock.nowMs() });
      },
    };
    const agent = { session, publicKey: key.publicKey, clusterUid, servesTunnels, takesHints, creditReceiver };
    const revoked = findRevocation(agent, judged);
    if (revoked !== undefined) {
      await parts.claims.end(session, { kind: "lost", reason: "revoked", detail: revoked.detail });
      return { kind: "rejected", rejection: revoked, isProven: true };
    }
    const live = new LiveSession(parts, agent, judged.pause !== undefined);
    table.add(driver, live);
    const isFirstSync = isCollecting && fleetRows.rowCount(session.cluster) === 0;
    const share = isCollecting ? shares.enter(creditReceiver, isFirstSync) : { creditBytes: 0, position: 0 };
    const heldResources = isCollecting ? findUnnamedKinds(fleetRows.kinds(session.cluster), hello.resources) : [];
    const kinds = new Set([...hello.resources, ...heldResources]);
    feed.publish({ kind: "began", session, kinds, nowMs: clock.nowMs() });
    if (share.position > 0) feed.publish({ kind: "queued", session, position: share.position, nowMs: clock.nowMs() });
    const { incarnation: durableIncarnation, seq: durableSeq } = durable;
    const accepted = { epoch: session.epoch, durableIncarnation, durableSeq, heldResources, ...share };
    return { kind: "accepted", live, accepted };
  }

  #storeEnd(session: SessionFacts, ending: ObservedEnding): void {
    const { claims, log } = this.#options.live;
    const { cluster, shard } = session;
    const stored = this.#claimed
      .run(claimName(cluster, shard), () => claims.end(session, ending))
      .catch((reason: unknown) => log.warn("the end of a session could not be stored", { cluster }, reason));
    this.#storing.add(stored);
    void stored.finally(() => this.#storing.delete(stored));
  }
}
