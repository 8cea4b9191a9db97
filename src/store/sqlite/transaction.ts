// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { toStoreError } from "./sqlite-error.ts";

/** Runs several reads on one state of the file, regardless of concurrent commits. */
export class Snapshots {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;

  constructor(db: DatabaseSync, file: string) {
    this.#db = db;
    this.#file = file;
    // Prepared, because every small list begins a transaction. Unprepared, this would cost as much as the list itself.
    this.#begin = db.prepare("BEGIN");
    this.#end = db.prepare("ROLLBACK");
  }

  run<Result>(work: () => Result): Result {
    try {
      this.#begin.run();
      try {
        return work();
      } finally {
        if (this.#db.isTransaction) this.#end.run();
      }
    } catch (reason) {
      throw toStoreError(reason, this.#file);
    }
  }
}

/** Runs `work` in one transaction, durable on return. Rolled back if anything throws. */
export function inTransaction<Result>(db: DatabaseSync, file: string, work: () => Result): Result {
  try {
    db.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      db.exec("COMMIT");
      return result;
    } catch (reason) {
      // A full disk may have ended the transaction already.
      if (db.isTransaction) db.exec("ROLLBACK");
      throw reason;
    }
  } catch (reason) {
    throw toStoreError(reason, file);
  }
}
