// SPDX-License-Identifier: Apache-2.0
// What SQLite itself can do on this machine: the store's tables and statements, one thread, no store around them.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { makeKey, makeObject } from "./objects.ts";

/** A hub database written to directly, in transactions of a set number of writes. */
export class BareSqlite implements Disposable {
  readonly #db: DatabaseSync;
  readonly #batch: number;
  readonly #current: StatementSync;
  readonly #change: StatementSync;
  readonly #body: StatementSync;
  readonly #row: StatementSync;
  readonly #head: StatementSync;
  #revision = 0;

  constructor(file: string, batch: number) {
    const db = openDatabase("hub", file, 0);
    db.exec("INSERT INTO meta (id, store_id, revision, compacted_revision) VALUES (1, 'st_bare', 0, 0)");
    this.#db = db;
    this.#batch = batch;
    this.#current = db.prepare(
      `SELECT t.revision, b.key_id, b.body FROM objects t JOIN bodies b ON b.revision = t.revision
       WHERE t.workspace_id = ? AND t.resource = ? AND t.namespace = ? AND t.name = ?`,
    );
    this.#change = db.prepare(
      "INSERT INTO changes (revision, kind, key, is_delete, previous_revision, at_ms) VALUES (?, 'objects', ?, 0, ?, ?)",
    );
    this.#body = db.prepare("INSERT INTO bodies (revision, key_id, body) VALUES (?, NULL, ?)");
    this.#row = db.prepare(
      `INSERT INTO objects (workspace_id, resource, namespace, name, revision) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET revision = excluded.revision`,
    );
    this.#head = db.prepare("UPDATE meta SET revision = ?");
  }

  /** Writes for about that long; gives how many writes that were. */
  run(runMs: number): number {
    const before = this.#revision;
    const endMs = performance.now() + runMs;
    while (performance.now() < endMs) this.#writeBatch();
    return this.#revision - before;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #writeBatch(): void {
    this.#db.exec("BEGIN IMMEDIATE");
    for (let index = 0; index < this.#batch; index += 1) {
      this.#revision += 1;
      const key = makeKey(this.#revision);
      const previous = Number(this.#current.get(...key)?.["revision"] ?? 0);
      this.#change.run(this.#revision, key.join("\u001f"), previous, Date.now());
      this.#body.run(this.#revision, makeObject(this.#revision));
      this.#row.run(...key, this.#revision);
    }
    this.#head.run(this.#revision);
    this.#db.exec("COMMIT");
  }
}
