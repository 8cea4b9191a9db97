// SPDX-License-Identifier: Apache-2.0
import type { Revision } from "../../model/revision.ts";
import type { Store } from "../../store/store.ts";
import { auditHeads, auditRecords } from "../../store/tables.ts";
import { type AuditHead, emptyAuditHead } from "./audit-log.ts";
import { type AuditRecord, auditId, fromAuditValue } from "./audit-record.ts";

/** Records read from the store at once: some 250 KB. */
const readCount = 500;

/** Records that one page scans at most, regardless of its filter: some 10 ms of the store. */
const maxScannedCount = 5_000;

/** Selects records. Empty fields match all. */
export interface AuditFilter {
  readonly cluster: string;
  readonly actor: string;
  readonly action: string;
  /** Only records from this wall-clock time on. */
  readonly sinceMs: number;
}

export interface AuditPage {
  /** The newest first. */
  readonly records: readonly AuditRecord[];
  /** The sequence at which the next page starts; undefined after the last page. */
  readonly nextSeq: number | undefined;
}

/** Loads the head of the chain and the revision at which it was read. */
export async function loadAuditHead(store: Store): Promise<{ readonly head: AuditHead; readonly revision: Revision }> {
  const { rows, revision } = await store.list(auditHeads, { prefix: [store.workspace], limit: 1 });
  return { head: rows[0]?.value ?? emptyAuditHead, revision };
}

/** A page of matching records, newest first, from `fromSeq` or the newest down (AU8). */
export async function listAudit(
  store: Store,
  filter: AuditFilter,
  { fromSeq, limit }: { readonly fromSeq: number | undefined; readonly limit: number },
): Promise<AuditPage> {
  const { head, revision } = await loadAuditHead(store);
  const records: AuditRecord[] = [];
  let seq = Math.min(fromSeq ?? head.seq, head.seq);
  const lastSeq = Math.max(head.first_seq, seq - maxScannedCount + 1);
  while (seq >= lastSeq) {
    const firstSeq = Math.max(lastSeq, seq - readCount + 1);
    const page = await loadRecords(store, { firstSeq, count: seq - firstSeq + 1, revision });
    for (const record of page.toReversed()) {
      if (records.length === limit) return { records, nextSeq: record.seq };
      if (isWanted(record, filter)) records.push(record);
    }
    seq = firstSeq - 1;
  }
  return { records, nextSeq: seq >= head.first_seq ? seq : undefined };
}

/**
 * Stored records from a sequence on, in order, as of one revision: at most `count`, and at most one page of the store.
 */
export async function loadRecords(
  store: Store,
  {
    firstSeq,
    count = readCount,
    revision,
  }: { readonly firstSeq: number; readonly count?: number; readonly revision: Revision },
): Promise<readonly AuditRecord[]> {
  const after = [store.workspace, auditId(firstSeq - 1)];
  const { rows } = await store.list(auditRecords, { prefix: [store.workspace], after, limit: count, asOf: revision });
  return rows.map(({ key, value }) => fromAuditValue(key[1] ?? "", value));
}

function isWanted({ targetKind, target, actor, action, atMs }: AuditRecord, filter: AuditFilter): boolean {
  if (filter.cluster !== "" && (targetKind !== "cluster" || target !== filter.cluster)) return false;
  if (filter.actor !== "" && actor.user !== filter.actor) return false;
  // `cluster` matches all of its actions, `cluster.pause` one.
  if (filter.action !== "" && action !== filter.action && !action.startsWith(`${filter.action}.`)) return false;
  return atMs >= filter.sinceMs;
}
