// SPDX-License-Identifier: Apache-2.0
// Shows the rows of a cluster once its grants are complete (L2), and hides them when that is revoked.

import { hasCode } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { ClusterRecord } from "../clusters/cluster-record.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { Restore } from "../ingest/fleet-restore.ts";
import type { LogFollower } from "../ingest/log-follower.ts";
import type { FleetRows } from "../rows/fleet-rows.ts";
import type { SessionFeed } from "../sessions/session-feed.ts";

export interface RowVisibilityOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly clusters: ClusterRegistry;
  readonly fleetRows: FleetRows;
  readonly restore: Restore;
  /** Undefined if this hub is the only one on its stores. */
  readonly follower: LogFollower | undefined;
  readonly feed: SessionFeed;
  /** Called before the rows of a cluster are shown: other reasons to withhold them take effect first (RB84). */
  readonly beforeShown?: ((cluster: string) => void) | undefined;
}

/**
 * Follows two sources. A session of this hub proves the grants: the rows are shown at once, and that is stored. The
 * cluster's record says that they were proven, in an earlier run or by another hub: the rows are shown once they are
 * loaded, and once what that hub appended is folded. A record from before the current session proved its grants does
 * not hide the rows.
 */
export class RowVisibility {
  readonly #options: RowVisibilityOptions;
  readonly #shown = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #storing = new Set<Promise<void>>();

  constructor(options: RowVisibilityOptions) {
    this.#options = options;
    options.feed.subscribe({ grantsProven: ({ session }) => this.#showProven(session.cluster) });
    options.restore.onProgress(() => this.#showLoaded());
    options.clusters.listen((id, record) => this.#followRecord(id, record));
  }

  /** Resolves when no write is under way. */
  async settled(): Promise<void> {
    while (this.#storing.size > 0) await Promise.all(this.#storing);
  }

  #showProven(cluster: string): void {
    const { fleetRows, clusters, clock, log } = this.#options;
    if (fleetRows.isRbacComplete(cluster)) return;
    this.#show(cluster);
    const rbacCompleteAtMs = clock.wallMs();
    const stored = clusters
      .update(cluster, (record) =>
        record.rbacCompleteAtMs === undefined ? { ...record, rbacCompleteAtMs } : undefined,
      )
      .then(
        () => undefined,
        (reason: unknown) => log.warn("could not store that the grants of a cluster are complete", { cluster }, reason),
      );
    this.#storing.add(stored);
    void stored.finally(() => this.#storing.delete(stored));
  }

  #followRecord(id: string, record: ClusterRecord | undefined): void {
    this.#waiting.delete(id);
    if (record?.rbacCompleteAtMs !== undefined) {
      this.#shown.add(id);
      if (this.#options.follower === undefined) this.#showWhenLoaded(id);
      else void this.#showWhenReached(id, record, this.#options.follower);
    } else if (this.#shown.delete(id)) this.#options.fleetRows.setRbacComplete(id, false);
  }

  async #showWhenReached(id: string, record: ClusterRecord, follower: LogFollower): Promise<void> {
    const { clusters, log } = this.#options;
    try {
      await follower.reach();
      if (clusters.get(id)?.rbacCompleteAtMs === record.rbacCompleteAtMs) this.#showWhenLoaded(id);
    } catch (reason) {
      if (!hasCode(reason, "UNAVAILABLE")) throw reason;
      log.debug("the hub closed before the rows of a cluster could be shown", { cluster: id });
    }
  }

  #showWhenLoaded(id: string): void {
    this.#waiting.add(id);
    this.#showLoaded();
  }

  #showLoaded(): void {
    for (const id of this.#waiting) {
      if (!this.#options.restore.has(id)) continue;
      this.#waiting.delete(id);
      this.#show(id);
    }
  }

  #show(cluster: string): void {
    const { fleetRows, beforeShown } = this.#options;
    beforeShown?.(cluster);
    fleetRows.setRbacComplete(cluster, true);
  }
}
