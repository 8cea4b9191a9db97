// SPDX-License-Identifier: Apache-2.0
import type { KindFacts, RejectionFacts, RejectionReason, SessionHandlers } from "../sessions/session-events.ts";

/** An agent's newest report of one kind, and when the hub received it. */
export interface KindDetail {
  readonly facts: KindFacts;
  readonly heardMs: number;
}

/** A refused agent that proved a registered key, and the time of the refusal. */
export interface RefusedAgent {
  readonly facts: RejectionFacts;
  readonly atMs: number;
}

/** Rejections caused by a second agent or by another cluster with the same key. */
const rivalReasons: ReadonlySet<RejectionReason> = new Set(["ACTIVE_SESSION", "GRACE_PERIOD", "WRONG_CLUSTER"]);

/**
 * Maximum uids kept per cluster (SE7). An agent that presents another uid holds the cluster's key; more than a few mean
 * that the key was copied.
 */
const maxUidCount = 16;

/**
 * While it waits, a refused agent of another cluster retries every 15 to 18 s (SE12). After this time without a retry
 * it no longer waits.
 */
const waitingMs = 60_000;

/** Agent reports that are shown to users but not judged: kinds, position in the admission queue, refused agents. */
export class KindDetails {
  readonly #byCluster = new Map<string, Map<string, KindDetail>>();
  readonly #positions = new Map<string, number>();
  readonly #refused = new Map<string, RefusedAgent>();
  /** Uids of other clusters that presented this cluster's key, oldest first, with the time of the newest refusal. */
  readonly #refusedUids = new Map<string, Map<string, number>>();

  /** Feeds this class. Sessions of other shards are ignored: they do not feed the fleet's rows (SE1). */
  readonly handlers = {
    began: ({ session: { cluster, shard, agentId } }) => {
      if (shard !== "") return;
      this.#byCluster.set(cluster, new Map());
      if (this.#refused.get(cluster)?.facts.agentId === agentId) this.#refused.delete(cluster);
    },
    rejected: ({ attempt: facts, nowMs }) => {
      // Only agents that proved a key: any client can name a cluster.
      if (facts.shard !== "" || !facts.isProven || !rivalReasons.has(facts.reason)) return;
      this.#refused.set(facts.cluster, { facts, atMs: nowMs });
      const { cluster, reason, clusterUid = "" } = facts;
      if (reason === "WRONG_CLUSTER" && clusterUid !== "") this.#rememberUid(cluster, clusterUid, nowMs);
    },
    kindStatuses: ({ session: { cluster, shard }, kinds, nowMs }) => {
      if (shard !== "") return;
      const details = this.#byCluster.get(cluster);
      for (const facts of kinds) details?.set(facts.resource, { facts, heardMs: nowMs });
    },
    queued: ({ session: { cluster, shard }, position }) => {
      if (shard === "") this.#positions.set(cluster, position);
    },
    ended: ({ session: { cluster, shard } }) => {
      if (shard === "") this.#positions.delete(cluster);
    },
  } satisfies SessionHandlers;

  kindsOf(cluster: string): ReadonlyMap<string, KindDetail> {
    return this.#byCluster.get(cluster) ?? new Map();
  }

  /** Position in the admission queue; 0: not waiting. */
  positionOf(cluster: string): number {
    return this.#positions.get(cluster) ?? 0;
  }

  /** The newest refused agent of a cluster; undefined if none was refused or that agent was admitted since. */
  refusedOf(cluster: string): RefusedAgent | undefined {
    return this.#refused.get(cluster);
  }

  /**
   * The uid of another cluster that presents this cluster's key and waits to be accepted in its place (SE7, PG33); ""
   * if none does.
   */
  replacementOf(cluster: string, registeredUid: string, nowMs: number): string {
    let waiting = "";
    for (const [uid, atMs] of this.#refusedUids.get(cluster) ?? [])
      if (uid !== registeredUid && nowMs - atMs <= waitingMs) waiting = uid;
    return waiting;
  }

  /** Uids refused with this cluster's key since the hub started, newest last. Only these can be accepted (SE7). */
  refusedUidsOf(cluster: string): readonly string[] {
    return [...(this.#refusedUids.get(cluster)?.keys() ?? [])];
  }

  #rememberUid(cluster: string, clusterUid: string, nowMs: number): void {
    const uids = this.#refusedUids.get(cluster) ?? new Map<string, number>();
    this.#refusedUids.set(cluster, uids);
    uids.delete(clusterUid);
    uids.set(clusterUid, nowMs);
    const [oldest] = uids.keys();
    if (uids.size > maxUidCount && oldest !== undefined) uids.delete(oldest);
  }

  forget(cluster: string): void {
    this.#refused.delete(cluster);
    this.#refusedUids.delete(cluster);
    this.#byCluster.delete(cluster);
    this.#positions.delete(cluster);
  }
}
