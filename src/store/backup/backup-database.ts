// SPDX-License-Identifier: Apache-2.0
import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import { basename } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { isCancellation, throwIfAborted } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { type DatabaseKind, databases } from "../sqlite/database.ts";
import { toStoreError } from "../sqlite/sqlite-error.ts";
import type { FileWork } from "./file-pieces.ts";

/** Pages copied between two checks of the signal: 4 MiB at 4 KiB each, some 10 ms. */
const stepPages = 1024;

/**
 * Copies a database to a file that must not exist yet, while its owner may write (ST29). The copy is the committed
 * state of one moment: it is made inside one read transaction, which blocks no writer under write-ahead logging. The
 * signal is checked between steps of the copy; on abort the caller removes the partial copy. The check at the end is
 * one step.
 */
export async function backupDatabase(
  kind: DatabaseKind,
  source: string,
  target: string,
  { signal, onProgress }: FileWork = {},
): Promise<void> {
  if (existsSync(target)) throw new FlotillaError("ALREADY_EXISTS", `${target} already exists; name another file`);
  const name = basename(target);
  try {
    using db = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
    assertKind(db, kind, source);
    closeSync(openSync(target, "wx", 0o600)); // SQLite fills an empty file, and one of its own would have the mode of the umask
    // The transaction begins with its first read. Without it each step would see newer pages, and the copy would start
    // over.
    db.exec("BEGIN");
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }): void => {
      throwIfAborted(signal);
      onProgress?.(`copying ${name}`, Math.floor((100 * (totalPages - remainingPages)) / Math.max(1, totalPages)));
    };
    onProgress?.(`copying ${name}`);
    await backup(db, target, { rate: stepPages, progress });
    throwIfAborted(signal);
    leaveWriteAheadLogging(target);
  } catch (reason) {
    if (signal !== undefined && isCancellation(signal, reason)) throw reason;
    throw toStoreError(reason, source);
  }
  syncFile(target);
  onProgress?.(`checking ${name}`);
  checkDatabase(kind, target);
  throwIfAborted(signal);
}

/**
 * A database in write-ahead logging mode cannot be read from read-only media. A hub that opens the copy enables it
 * again.
 */
function leaveWriteAheadLogging(file: string): void {
  using copy = new DatabaseSync(file);
  copy.exec("PRAGMA journal_mode = DELETE");
}

/** Reads the whole database. Throws STORE_CORRUPT or STORE_FOREIGN unless it is intact and of that kind. */
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

/**
 * Rewrites a database that is not in use, so that no deleted or replaced data remains in unused parts of the file
 * (ST28).
 */
export function rewriteDatabase(file: string): void {
  try {
    using db = new DatabaseSync(file, { timeout: 5000 });
    db.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (reason) {
    throw toStoreError(reason, file);
  }
}
