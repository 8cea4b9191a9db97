// SPDX-License-Identifier: Apache-2.0
import type {
  FleetObserver,
  KindFacts,
  RejectionFacts,
  RejectionReason,
  SessionFacts,
} from "../fleet/fleet-observer.ts";

/** What an agent said of one kind, and when the hub heard it. */
export interface KindDetail {
  readonly facts: KindFacts;
  readonly heardMs: number;
}

/** An agent with a right key that has no session, and when it was refused. */
export interface RefusedAgent {
  readonly facts: RejectionFacts;
  readonly atMs: number;
}

/** Reasons that say that there is another agent than the one of the session, or another cluster. */
const rivalReasons: ReadonlySet<RejectionReason> = new Set(["ACTIVE_SESSION", "GRACE_PERIOD", "WRONG_CLUSTER"]);

/** Uids remembered of one cluster (SE7). Who shows another uid holds the cluster's key; more than a few mean a key that was copied around. */
const maxUidCount = 16;

/** A refused agent of another cluster is refused anew every 15 to 18 s while it waits (SE12); after this time it waits no longer. */
const waitingMs = 60_000;

/** What agents said last about their kinds and their place in line, and which were refused: what people are shown beside what is judged. */
export class KindDetails {
  readonly #byCluster = new Map<string, Map<string, KindDetail>>();
  readonly #positions = new Map<string, number>();
  readonly #refused = new Map<string, RefusedAgent>();
  /** Uids of other clusters that showed the key of this one, the oldest first, with the time of the newest refusal. */
  readonly #refusedUids = new Map<string, Map<string, number>>();

  /** An observer that writes this book; sessions of other shards say nothing of the picture (SE1). */
  readonly observer: Pick<FleetObserver, "began" | "rejected" | "kindStatuses" | "queued" | "ended"> = {
    began: ({ cluster, shard, agentId }) => {
      if (shard !== "") return;
      this.#byCluster.set(cluster, new Map());
      if (this.#refused.get(cluster)?.facts.agentId === agentId) this.#refused.delete(cluster);
    },
    rejected: (facts, nowMs) => {
      // Only of those who proved a key: anybody can name a cluster.
      if (facts.shard !== "" || !facts.isProven || !rivalReasons.has(facts.reason)) return;
      this.#refused.set(facts.cluster, { facts, atMs: nowMs });
      const { cluster, reason, clusterUid = "" } = facts;
      if (reason === "WRONG_CLUSTER" && clusterUid !== "") this.#rememberUid(cluster, clusterUid, nowMs);
    },
    kindStatuses: ({ cluster, shard }: SessionFacts, kinds, nowMs) => {
      if (shard !== "") return;
      const details = this.#byCluster.get(cluster);
      for (const facts of kinds) details?.set(facts.resource, { facts, heardMs: nowMs });
    },
    queued: ({ cluster, shard }, position) => {
      if (shard === "") this.#positions.set(cluster, position);
    },
    ended: ({ cluster, shard }) => {
      if (shard === "") this.#positions.delete(cluster);
    },
  };

  kindsOf(cluster: string): ReadonlyMap<string, KindDetail> {
    return this.#byCluster.get(cluster) ?? new Map();
  }

  /** 0 = not waiting. */
  positionOf(cluster: string): number {
    return this.#positions.get(cluster) ?? 0;
  }

  /** The newest refusal beside the session of a cluster; undefined where there was none, or that agent was let in since. */
  refusedOf(cluster: string): RefusedAgent | undefined {
    return this.#refused.get(cluster);
  }

  /** The uid of another cluster that shows the key of this one and waits to be accepted in its place (SE7, PG33); "" where none does. */
  replacementOf(cluster: string, registeredUid: string, nowMs: number): string {
    let waiting = "";
    for (const [uid, atMs] of this.#refusedUids.get(cluster) ?? [])
      if (uid !== registeredUid && nowMs - atMs <= waitingMs) waiting = uid;
    return waiting;
  }

  /** Uids that were refused under this cluster's key since the hub started, the newest last: those that can be accepted (SE7). */
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
