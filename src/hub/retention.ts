// SPDX-License-Identifier: Apache-2.0
// Removal of old rows. It runs once per fleet: under the lease of the fleet's tasks.
import { throwIfAborted } from "../base/abort.ts";
import type { Logger } from "../base/log.ts";
import { runTogether } from "../base/run-together.ts";
import type { Clock } from "../base/time/clock.ts";
import type { FleetLog } from "../store/fleet-log/fleet-log.ts";
import type { Store } from "../store/store.ts";
import type { HeldLease } from "./fleet-tasks.ts";

/** Something whose old rows are removed. */
export interface Retention {
  /** The rows, for the log: "the audit log". */
  readonly what: string;
  /** Time between the end of one removal and the next. Default: one hour. */
  readonly intervalMs?: number;
  /** Removes everything beyond retention. Commits under the fence, and stops early when the signal aborts. */
  removeOld(held: HeldLease): Promise<unknown>;
}

/** Retention is counted in days, so an extra hour does no harm. */
const defaultIntervalMs = 3_600_000;

/**
 * Removes old rows until the signal aborts; then throws its reason. A failed removal is logged and retried after the
 * interval. A failing or slow one does not delay the others.
 */
export async function runRetention(
  retentions: readonly Retention[],
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  { fence, signal }: HeldLease,
): Promise<void> {
  const loops = retentions.map((retention) => async (both: AbortSignal): Promise<never> => {
    for (;;) {
      try {
        await retention.removeOld({ fence, signal: both });
      } catch (reason) {
        log.warn("retention failed", { what: retention.what }, reason);
      }
      await clock.sleep(retention.intervalMs ?? defaultIntervalMs, both);
    }
  });
  await runTogether(loops, signal);
  throwIfAborted(signal);
}

export interface StoreRetentionOptions {
  readonly store: Store;
  readonly fleetLog: FleetLog;
  readonly clock: Clock;
  readonly changeRetentionMs: number;
  /** How long observed history is kept. */
  readonly historyRetentionMs: number;
}

/** One removal in a minute removes little, so each is cheap. */
const storeIntervalMs = 60_000;

/** Changes kept regardless of age, so that a watcher of a quiet store need not relist after a long pause. */
const keepCount = 1000;

/**
 * Retention of the change log and of observed history. Every hub would remove the same rows, so both ignore the fence:
 * a hub that has lost the lease does no harm.
 */
export function storeRetentions(options: StoreRetentionOptions): readonly Retention[] {
  const { store, fleetLog, clock, changeRetentionMs, historyRetentionMs } = options;
  return [
    {
      what: "the change log",
      intervalMs: storeIntervalMs,
      removeOld: () => store.compact({ olderThanMs: changeRetentionMs, keepCount }),
    },
    {
      what: "observed history",
      intervalMs: storeIntervalMs,
      async removeOld({ signal }) {
        while ((await fleetLog.retain(clock.wallMs() - historyRetentionMs)).more && !signal.aborted);
      },
    },
  ];
}
