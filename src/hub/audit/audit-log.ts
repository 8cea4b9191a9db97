// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type CommitOutcome, type Fence, put, type Store, type TableRow, type Write } from "../../store/store.ts";
import { auditHeads, auditRecords } from "../../store/tables.ts";
import {
  type Actor,
  type AuditEntry,
  type AuditRecord,
  auditId,
  createAuditRecord,
  toAuditValue,
} from "./audit-record.ts";
import { toHistoryWrites } from "./cluster-history-row.ts";

export interface AuditLogOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * One process serialises its appends, so a retry means that another hub appended. This many in a row indicate another
 * fault.
 */
const maxAttemptCount = 16;

/** Called with each record in order, once it is durable. Must not throw. */
export type AuditListener = (record: AuditRecord) => void;

/** The head of the chain as stored. */
export type AuditHead = TableRow<typeof auditHeads>["value"];

/** What else an append does. */
export interface AppendOptions {
  /** Changes the head beyond what the records do. */
  readonly changeHead?: (head: AuditHead) => AuditHead;
  /** The commit is written only under this lease (ST26). */
  readonly fence?: Fence | undefined;
}

/** The head of a log without records. */
export const emptyAuditHead: AuditHead = { seq: 0, hash: "", first_seq: 1 };

/** Writes changes together with their audit records (AU1). One for each store in a process. */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #appends = new KeyedMutex();
  readonly #listeners = new Set<AuditListener>();
  #head: TableRow<typeof auditHeads> | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  /** Calls the listener for each record that this process appends, until the returned function is called. */
  listen(listener: AuditListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Commits the writes and one record per entry in one transaction. Without entries it is a plain commit. The outcome
   * covers `writes` only: a conflict means that one of their expectations did not hold and nothing was written. Throws
   * CONFLICT if other hubs keep appending.
   */
  commit(writes: readonly Write[], entries: readonly AuditEntry[], actor: Actor): Promise<CommitOutcome> {
    if (entries.length === 0) return this.#options.store.commit(writes); // does not wait for audited commits
    return this.append(writes, () => entries, actor);
  }

  /** As `commit`, with the entries and the new head computed from the current head of each attempt. */
  append(
    writes: readonly Write[],
    describe: (head: AuditHead) => readonly AuditEntry[],
    actor: Actor,
    options: AppendOptions = {},
  ): Promise<CommitOutcome> {
    return this.#appends.run(this.#options.store.workspace, async () => {
      for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
        const entries = describe(this.#head?.value ?? emptyAuditHead);
        if (entries.length === 0) return this.#options.store.commit(writes, toCommitOptions(options));
        const outcome = await this.#attempt(writes, entries, actor, options);
        if (outcome !== undefined) return outcome;
        this.#head = await this.#options.store.get(auditHeads, [this.#options.store.workspace]);
      }
      throw new FlotillaError("CONFLICT", "other hubs are writing the audit log; try again");
    });
  }

  /** Undefined when another hub has changed the stored head. */
  async #attempt(
    writes: readonly Write[],
    entries: readonly AuditEntry[],
    actor: Actor,
    options: AppendOptions,
  ): Promise<CommitOutcome | undefined> {
    const { store, clock, log } = this.#options;
    const { changeHead = (same) => same } = options;
    const head = this.#head?.value ?? emptyAuditHead;
    const atMs = Math.round(clock.wallMs());
    const records: AuditRecord[] = [];
    for (const entry of entries) {
      const { seq, hash } = records.at(-1) ?? head;
      records.push(createAuditRecord(entry, { seq: seq + 1, atMs, actor, previousHash: hash }));
    }
    const { seq, hash } = records.at(-1) ?? head;
    const next = changeHead({ ...head, seq, hash });
    const all = [
      ...writes,
      put(auditHeads, [store.workspace], next, this.#head?.revision ?? "absent"),
      ...records.map((record) =>
        put(auditRecords, [store.workspace, auditId(record.seq)], toAuditValue(record), "absent"),
      ),
      ...toHistoryWrites(store.workspace, records),
    ];
    const outcome = await store.commit(all, toCommitOptions(options));
    if (outcome.kind === "conflict") return outcome.writeIndex < writes.length ? outcome : undefined;
    if (outcome.kind !== "committed") return outcome;
    const revision = outcome.revisions[writes.length] ?? outcome.revision;
    this.#head = { key: [store.workspace], revision, value: next };
    for (const record of records) {
      const { action, targetKind, target } = record;
      log.info("audit record written", {
        seq: record.seq,
        user: actor.user,
        action,
        targetKind,
        target,
        hash: record.hash,
      });
      for (const listener of this.#listeners) listener(record);
    }
    return { ...outcome, revisions: outcome.revisions.slice(0, writes.length) };
  }
}

function toCommitOptions({ fence }: AppendOptions): { readonly fence?: Fence } {
  return fence === undefined ? {} : { fence };
}
