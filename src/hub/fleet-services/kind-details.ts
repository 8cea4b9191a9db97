// SPDX-License-Identifier: Apache-2.0
import type { FleetObserver, KindFacts, SessionFacts } from "../fleet/fleet-observer.ts";

/** What an agent said of one kind, and when the hub heard it. */
export interface KindDetail {
  readonly facts: KindFacts;
  readonly heardMs: number;
}

/** What agents said last about their kinds and their place in line: what people are shown beside what is judged. */
export class KindDetails {
  readonly #byCluster = new Map<string, Map<string, KindDetail>>();
  readonly #positions = new Map<string, number>();

  /** An observer that writes this book; sessions of other shards say nothing of the picture (SE1). */
  readonly observer: Pick<FleetObserver, "began" | "kindStatuses" | "queued" | "ended"> = {
    began: ({ cluster, shard }) => {
      if (shard === "") this.#byCluster.set(cluster, new Map());
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

  forget(cluster: string): void {
    this.#byCluster.delete(cluster);
    this.#positions.delete(cluster);
  }
}
