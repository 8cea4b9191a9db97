// SPDX-License-Identifier: Apache-2.0
// Shared code of the history tables: keys are (workspace, cluster, id), ids sort by time, rows never change and are
// removed by retention.
import type { Clock } from "../../base/time/clock.ts";
import { listPages } from "../../store/follow-table.ts";
import { remove, type Store, type TableRow } from "../../store/store.ts";
import type { sessionEvents, transitions } from "../../store/tables.ts";
import type { Retention } from "../retention.ts";

type HistoryTable = typeof transitions | typeof sessionEvents;

/** Rows in one commit: some 150 KB. */
export const batchCount = 500;

/** Wall-clock milliseconds have 13 digits until the year 2286. */
const momentDigits = 15;
const seqDigits = 10;

/** Sorts before the ids of all rows from this time on. */
export function momentKey(atMs: number): string {
  return String(atMs).padStart(momentDigits, "0");
}

/** The id of a row: its time, its number within the hub's run, the run. */
export function historyId(atMs: number, seq: number, runId: string): string {
  return `${momentKey(atMs)}-${String(seq).padStart(seqDigits, "0")}-${runId}`;
}

export interface HistoryRetentionOptions {
  readonly what: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly retentionMs: number;
  /** Maximum rows kept of each cluster. */
  readonly keepCount: number;
}

/** Retention of a history: by age, and by count for each cluster. Stops when the lease is lost. */
export function historyRetention(
  table: HistoryTable,
  { what, store, clock, retentionMs, keepCount }: HistoryRetentionOptions,
): Retention {
  return {
    what,
    async removeOld({ fence }) {
      const oldestMs = Math.round(clock.wallMs()) - retentionMs;
      let isFenced = false;
      let ofCluster: TableRow<HistoryTable>[] = [];
      const finishCluster = async (): Promise<void> => {
        const overCount = ofCluster.length - keepCount;
        const removable = ofCluster.filter(({ value }, index) => index < overCount || value.at_ms < oldestMs);
        ofCluster = [];
        for (let from = 0; from < removable.length && !isFenced; from += batchCount) {
          const removals = removable.slice(from, from + batchCount).map(({ key }) => remove(table, key));
          isFenced = (await store.commit(removals, { fence })).kind !== "committed";
        }
      };
      for await (const { rows } of listPages(store, table, [store.workspace])) {
        for (const row of rows) {
          if (ofCluster[0]?.key[1] !== row.key[1]) await finishCluster();
          if (isFenced) return;
          ofCluster.push(row);
        }
      }
      await finishCluster();
    },
  };
}
