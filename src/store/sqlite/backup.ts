// SPDX-License-Identifier: Apache-2.0
import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { FlotillaError } from "../../base/error.ts";
import { type DatabaseKind, databases } from "./database.ts";
import { toStoreError } from "./sqlite-error.ts";

/**
 * Copies a database to a file that must not exist yet, while its owner writes on (ST29). The copy is what was committed at one
 * moment: it is made inside one read transaction, which under write-ahead logging holds up nobody.
 */
export function backupDatabase(kind: DatabaseKind, source: string, target: string): void {
  if (existsSync(target))
    throw new FlotillaError("ALREADY_EXISTS", `${target} is there already; name a file that is not`);
  try {
    using db = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
    assertKind(db, kind, source);
    closeSync(openSync(target, "wx", 0o600)); // SQLite fills an empty file, and one of its own would have the mode of the umask
    db.prepare("VACUUM INTO ?").run(target);
  } catch (reason) {
    throw toStoreError(reason, source);
  }
  syncFile(target);
  checkDatabase(kind, target);
}

/** Reads a database from end to end and throws STORE_CORRUPT or STORE_FOREIGN unless it is whole and of that kind. */
export function checkDatabase(kind: DatabaseKind, file: string): void {
  try {
    using db = new DatabaseSync(file, { readOnly: true });
    assertKind(db, kind, file);
    const verdict = db.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"];
    if (verdict !== "ok")
      throw new FlotillaError("STORE_CORRUPT", `${file} is damaged: ${String(verdict)}`, { ids: { file } });
  } catch (reason) {
    throw toStoreError(reason, file);
  }
}

function assertKind(db: DatabaseSync, kind: DatabaseKind, file: string): void {
  if (db.prepare("PRAGMA application_id").get()?.["application_id"] === databases[kind].applicationId) return;
  throw new FlotillaError("STORE_FOREIGN", `${file} is not a Flotilla ${kind} store`, { ids: { file } });
}

function syncFile(file: string): void {
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a database that nobody uses anew: what was deleted or replaced stays in no unused part of the file (ST28). */
export function rewriteDatabase(file: string): void {
  try {
    using db = new DatabaseSync(file, { timeout: 5000 });
    db.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (reason) {
    throw toStoreError(reason, file);
  }
}
