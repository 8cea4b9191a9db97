// SPDX-License-Identifier: Apache-2.0
import type { Store } from "../../store/store.ts";
import { type AuditRecord, hashRecord } from "./audit-record.ts";
import { loadAuditHead, loadRecords } from "./read-audit.ts";

/** A sequence and hash that the user noted earlier. */
export interface NotedRecord {
  readonly seq: number;
  readonly hash: string;
}

/** The result of a verification (AU6). */
export interface AuditVerification {
  readonly recordCount: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly lastHash: string;
  /** The first fault as one sentence; undefined when the chain is intact. */
  readonly problem: string | undefined;
}

/** Reads the whole log as of one revision and recomputes its chain. Stops at the first fault. */
export async function verifyAudit(store: Store, noted?: NotedRecord): Promise<AuditVerification> {
  const { head, revision } = await loadAuditHead(store);
  const check = new ChainCheck(head.first_seq, noted);
  for (;;) {
    const records = await loadRecords(store, { firstSeq: check.nextSeq, revision });
    for (const record of records) if (check.problem === undefined) check.add(record);
    if (records.length === 0 || check.problem !== undefined) break;
  }
  check.finish(head);
  const { recordCount, lastHash, nextSeq, problem } = check;
  return { recordCount, firstSeq: head.first_seq, lastSeq: nextSeq - 1, lastHash, problem };
}

/** Checks records in the order of their sequence. */
class ChainCheck {
  readonly #firstSeq: number;
  readonly #noted: NotedRecord | undefined;
  #firstPreviousHash = "";
  #isStartProven = false;
  #isNotedSeen = false;
  nextSeq: number;
  recordCount = 0;
  lastHash = "";
  problem: string | undefined;

  constructor(firstSeq: number, noted?: NotedRecord) {
    this.#firstSeq = firstSeq;
    this.#noted = noted;
    this.nextSeq = firstSeq;
  }

  add(record: AuditRecord): void {
    const { seq, previousHash, hash } = record;
    if (seq !== this.nextSeq) this.problem = `record ${this.nextSeq} is missing`;
    else if (hashRecord(record) !== hash)
      this.problem = `record ${seq} was changed: its hash does not match its contents`;
    else if (this.recordCount > 0 && previousHash !== this.lastHash)
      this.problem = `record ${seq} does not follow record ${seq - 1}: one of them was replaced`;
    else if (this.#noted?.seq === seq && this.#noted.hash !== hash)
      this.problem = `record ${seq} has the hash ${hash}, not the noted one: the log was rewritten`;
    if (this.problem !== undefined) return;
    if (this.recordCount === 0) this.#firstPreviousHash = previousHash;
    if (this.#noted?.seq === seq) this.#isNotedSeen = true;
    if (provesStart(record, this.#firstSeq - 1, this.#firstPreviousHash)) this.#isStartProven = true;
    this.recordCount += 1;
    this.nextSeq = seq + 1;
    this.lastHash = hash;
  }

  /** Compares with the head, after every record was added. */
  finish(head: { readonly seq: number; readonly hash: string }): void {
    if (this.problem !== undefined) return;
    if (this.nextSeq - 1 !== head.seq)
      this.problem = `record ${this.nextSeq} is missing: the head names record ${head.seq}`;
    else if (this.recordCount > 0 && this.lastHash !== head.hash)
      this.problem = `record ${head.seq} is not the one that the head names`;
    else if (this.recordCount > 0 && this.#firstSeq === 1 && this.#firstPreviousHash !== "")
      this.problem = "record 1 names a record before it";
    else if (this.#firstSeq > 1 && !this.#isStartProven)
      this.problem = `records before ${this.#firstSeq} are gone, and no record of a trim covers them`;
    else if (this.#noted !== undefined && !this.#isNotedSeen)
      this.problem = `record ${this.#noted.seq} is not in the log: it was trimmed, or never written`;
  }
}

/** Whether this is the record of the trim that made `firstPreviousHash` the start of the chain (AU7). */
function provesStart({ action, newValue }: AuditRecord, lastRemovedSeq: number, firstPreviousHash: string): boolean {
  if (action !== "audit.trim") return false;
  return newValue === JSON.stringify({ lastSeq: String(lastRemovedSeq), lastHash: firstPreviousHash });
}
