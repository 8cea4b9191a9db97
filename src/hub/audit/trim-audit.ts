// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import { type Fence, remove, type Store } from "../../store/store.ts";
import { auditRecords } from "../../store/tables.ts";
import type { Retention } from "../retention.ts";
import type { AuditLog } from "./audit-log.ts";
import { auditId, hubActor } from "./audit-record.ts";
import { loadAuditHead, loadRecords } from "./read-audit.ts";

export interface TrimOptions {
  readonly store: Store;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** `--audit-retention`. */
  readonly retentionMs: number;
}

/** Each trim adds a record, so it waits until the oldest record has exceeded the retention by a day. */
const slackMs = 86_400_000;

/** Retention of the audit log (AU7). */
export function auditRetention(options: TrimOptions): Retention {
  return {
    what: "the audit log",
    async removeOld({ fence, signal }) {
      while ((await trimAudit(options, fence)) > 0 && !signal.aborted);
    },
  };
}

/**
 * Removes the oldest records beyond retention, at most one page of the store (AU7). Returns how many: none for a hub
 * that is fenced.
 */
export async function trimAudit({ store, audit, clock, retentionMs }: TrimOptions, fence?: Fence): Promise<number> {
  const { head, revision } = await loadAuditHead(store);
  const oldestMs = clock.wallMs() - retentionMs;
  const records = await loadRecords(store, { firstSeq: head.first_seq, revision });
  const [oldest] = records;
  if (oldest === undefined || oldest.atMs >= oldestMs - slackMs) return 0;
  // Wall clocks can go back, so only records before the first one to keep are removed.
  const keptAt = records.findIndex(({ atMs }) => atMs >= oldestMs);
  const removed = keptAt === -1 ? records : records.slice(0, keptAt);
  const last = removed.at(-1);
  if (last === undefined) return 0;
  const after = { lastSeq: String(last.seq), lastHash: last.hash };
  const outcome = await audit.append(
    removed.map(({ seq }) => remove(auditRecords, [store.workspace, auditId(seq)])),
    // When another hub has trimmed meanwhile, nothing is left to remove.
    ({ first_seq }) =>
      first_seq > head.first_seq ? [] : [{ action: "audit.trim", targetKind: "audit", target: "", before: {}, after }],
    hubActor,
    { changeHead: (newest) => ({ ...newest, first_seq: last.seq + 1 }), fence },
  );
  return outcome.kind === "committed" ? removed.length : 0;
}
