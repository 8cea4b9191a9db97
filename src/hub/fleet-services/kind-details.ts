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

/** What agents said last about their kinds and their place in line, and which were refused: what people are shown beside what is judged. */
export class KindDetails {
  readonly #byCluster = new Map<string, Map<string, KindDetail>>();
  readonly #positions = new Map<string, number>();
  readonly #refused = new Map<string, RefusedAgent>();

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

  /** The uid of another cluster that shows the key of this one and waits to be accepted in its place (SE7); "" where none does. */
  replacementOf(cluster: string, registeredUid: string): string {
    const { reason, clusterUid = "" } = this.#refused.get(cluster)?.facts ?? {};
    return reason === "WRONG_CLUSTER" && clusterUid !== registeredUid ? clusterUid : "";
  }

  forget(cluster: string): void {
    this.#refused.delete(cluster);
    this.#byCluster.delete(cluster);
    this.#positions.delete(cluster);
  }
}
