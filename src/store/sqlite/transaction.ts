// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync } from "node:sqlite";
import { toStoreError } from "./sqlite-error.ts";

/** Runs reads on one state of the file, whatever other connections commit meanwhile. */
export function inSnapshot<Result>(db: DatabaseSync, file: string, work: () => Result): Result {
  try {
    db.exec("BEGIN");
    try {
      return work();
    } finally {
      if (db.isTransaction) db.exec("ROLLBACK");
    }
  } catch (reason) {
    throw toStoreError(reason, file);
  }
}

/** Runs `work` in one transaction, durable when this returns. If anything throws, nothing of it is kept. */
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
