// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";

export interface GrantsLagOptions {
  readonly clusters: Pick<ClusterRegistry, "get" | "update">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The clusters whose RBAC rows are known to be behind their other rows, in the store (RB85). */
export class GrantsLag {
  readonly #options: GrantsLagOptions;
  readonly #storing = new Map<string, Promise<void>>();

  constructor(options: GrantsLagOptions) {
    this.#options = options;
  }

  /** As this or another hub stored it last, also in an earlier run. */
  has(cluster: string): boolean {
    return this.#options.clusters.get(cluster)?.grantsBehindAtMs !== undefined;
  }

  /** Stores it, unless a write of the cluster is under way: the next judgement calls again. */
  set(cluster: string, isBehind: boolean): void {
    if (this.#storing.has(cluster)) return;
    const { clusters, clock, log } = this.#options;
    const grantsBehindAtMs = isBehind ? Math.round(clock.wallMs()) : undefined;
    const stored = clusters
      .update(cluster, (record) =>
        (record.grantsBehindAtMs !== undefined) === isBehind ? undefined : { ...record, grantsBehindAtMs },
      )
      .then(
        () => undefined,
        (reason: unknown) => log.warn("could not store that the grants of a cluster are behind", { cluster }, reason),
      )
      .finally(() => this.#storing.delete(cluster));
    this.#storing.set(cluster, stored);
  }

  /** Resolves when no write is under way. */
  async settled(): Promise<void> {
    while (this.#storing.size > 0) await Promise.all(this.#storing.values());
  }
}
