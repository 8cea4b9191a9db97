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

/** How often old changes are looked for. A piece is small, so often and little beats rarely and much. */
const intervalMs = 60_000;

/** Changes that stay whatever their age, so that a watcher of a quiet store need not relist after a long pause. */
const keepCount = 1000;

/**
 * Compacts the change log and removes observed history, each by its retention, until the signal aborts; then it throws the signal's reason. A failed round
 * is logged and the next one tries again. Both remove only what every hub would remove, so a hub that has lost the lease does no harm.
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
