// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { BodyCipher } from "../keys/body-cipher.ts";
import type { ChangesRequest, CompactRequest, EngineChange, ListRequest } from "../store-engine.ts";
import { firstUnder, isUnder } from "../table.ts";
import { type StoredRow, toSealed } from "./row-statements.ts";

interface NewChange {
  readonly revision: number;
  readonly table: string;
  readonly key: string;
  readonly body: Uint8Array | null;
  readonly previousRevision: number;
  readonly atMs: number;
}

/**
 * `changes` and `bodies`: every value once, under the revision that wrote it. A value is kept while its row is current
 * or the change that replaced it is retained. Any retained revision can therefore be read without a second copy.
 */
export class ChangeLog {
  readonly #cipher: BodyCipher;
  readonly #insertChange: StatementSync;
  readonly #insertBody: StatementSync;
  readonly #read: StatementSync;
  readonly #replaced: StatementSync;
  readonly #oldest: StatementSync;
  readonly #deleteBody: StatementSync;
  readonly #deleteChanges: StatementSync;
  readonly #saveCompacted: StatementSync;

  constructor(db: DatabaseSync, cipher: BodyCipher) {
    this.#cipher = cipher;
    this.#insertChange = db.prepare(
      "INSERT INTO changes (revision, kind, key, is_delete, previous_revision, at_ms) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#insertBody = db.prepare("INSERT INTO bodies (revision, key_id, body) VALUES (?, ?, ?)");
    this.#read = db.prepare(
      `SELECT c.revision, c.kind, c.key, c.is_delete, c.previous_revision, b.key_id, b.body FROM changes c
       JOIN bodies b ON b.revision = CASE c.is_delete WHEN 1 THEN c.previous_revision ELSE c.revision END
       WHERE c.revision > ? ORDER BY c.revision LIMIT ?`,
    );
    // Of all changes of one row after R, exactly one replaced the value that the row had at R.
    this.#replaced = db.prepare(
      `SELECT c.key, c.previous_revision AS revision, b.key_id, b.body FROM changes c JOIN bodies b ON b.revision = c.previous_revision
       WHERE c.revision > ? AND c.kind = ? AND c.previous_revision BETWEEN 1 AND ? AND c.key >= ? AND c.key <> ? ORDER BY c.key`,
    );
    this.#oldest = db.prepare(
      "SELECT revision, previous_revision, at_ms FROM changes WHERE revision <= ? ORDER BY revision LIMIT ?",
    );
    this.#deleteBody = db.prepare("DELETE FROM bodies WHERE revision = ?");
    this.#deleteChanges = db.prepare("DELETE FROM changes WHERE revision <= ?");
    this.#saveCompacted = db.prepare("UPDATE meta SET compacted_revision = ?");
  }

  append(change: NewChange): void {
    const { revision, table, key, body, previousRevision, atMs } = change;
    this.#insertChange.run(revision, table, key, body === null ? 1 : 0, previousRevision, atMs);
    if (body === null) return;
    const sealed = this.#cipher.seal(table, key, body);
    this.#insertBody.run(revision, sealed.keyId, sealed.body);
  }

  read(request: ChangesRequest): readonly EngineChange[] {
    const changes: EngineChange[] = [];
    let bytes = 0;
    for (const found of this.#read.iterate(request.after, request.limit)) {
      const table = String(found["kind"]);
      const key = String(found["key"]);
      const body = this.#cipher.open(table, key, toSealed(found));
      const previousRevision = Number(found["previous_revision"]);
      changes.push({
        revision: Number(found["revision"]),
        table,
        key,
        isDelete: found["is_delete"] === 1,
        previousRevision,
        body,
      });
      bytes += body.length;
      if (bytes >= request.bytesLimit) break;
    }
    return changes;
  }

  /** The rows of a list as of `revision` that were replaced or deleted since, in key order. */
  *replacedSince(request: ListRequest, revision: number): Generator<StoredRow> {
    const { table, prefix, after } = request;
    for (const found of this.#replaced.iterate(revision, table, revision, after ?? firstUnder(prefix), after ?? "")) {
      const key = String(found["key"]);
      if (!isUnder(prefix, key)) return;
      yield { key, revision: Number(found["revision"]), sealed: toSealed(found) };
    }
  }

  /** Removes the oldest due changes, and the values that only they kept (ST17, ST18). */
  compact(
    request: CompactRequest,
    newest: number,
    compactedRevision: number,
  ): { readonly compactedRevision: number; readonly more: boolean } {
    let upTo = compactedRevision;
    let count = 0;
    for (const found of this.#oldest.all(newest, request.limit)) {
      if (Number(found["at_ms"]) >= request.beforeMs) break;
      upTo = Number(found["revision"]);
      count += 1;
      this.#deleteBody.run(Number(found["previous_revision"]));
    }
    this.#deleteChanges.run(upTo);
    this.#saveCompacted.run(upTo);
    return { compactedRevision: upTo, more: count === request.limit };
  }
}
