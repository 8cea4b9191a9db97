// SPDX-License-Identifier: Apache-2.0

import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { FleetLog } from "../store/fleet-log.ts";
import type { Store } from "../store/store.ts";
import type { HeldLease } from "./fleet-tasks.ts";

export interface MaintenanceOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly changeRetentionMs: number;
  readonly fleetLog: FleetLog;
  /** How long observed history is kept. */
  readonly historyRetentionMs: number;
}

/** Interval between rounds. One round removes little, so short intervals keep each one cheap. */
const intervalMs = 60_000;

/** Changes kept regardless of age, so that a watcher of a quiet store need not relist after a long pause. */
const keepCount = 1000;

/**
 * Compacts the change log and trims observed history, each by its retention, until the signal aborts; then throws its
 * reason. A failed step is logged and retried in the next round. Every hub would remove the same rows, so a hub that has
 * lost the lease does no harm.
 */
export async function runMaintenance(
  { store, fleetLog, clock, log, changeRetentionMs, historyRetentionMs }: MaintenanceOptions,
  { signal }: HeldLease,
): Promise<void> {
  for (;;) {
    try {
      await store.compact({ olderThanMs: changeRetentionMs, keepCount });
    } catch (reason) {
      log.warn("compaction failed", {}, reason);
    }
    try {
      while ((await fleetLog.retain(clock.wallMs() - historyRetentionMs)).more && !signal.aborted);
    } catch (reason) {
      log.warn("observed history could not be removed", {}, reason);
    }
    await clock.sleep(intervalMs, signal);
  }
}
