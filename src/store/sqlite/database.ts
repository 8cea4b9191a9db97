// SPDX-License-Identifier: Apache-2.0
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { FlotillaError } from "../../base/error.ts";
import { findPackageFolder } from "../package-folder.ts";
import { applyMigrations, loadMigrations, missingMigrations } from "./migrate.ts";
import { toStoreError } from "./sqlite-error.ts";

const migrationsOf = (kind: string): URL =>
  pathToFileURL(join(findPackageFolder(import.meta.dirname), "sql", kind, sep));

/**
 * The known databases. `applicationId` identifies a file as this database of Flotilla (byte 68 of the SQLite header).
 */
export const databases = {
  hub: { applicationId: 0x464c_5448, migrations: migrationsOf("hub") },
  fleet: { applicationId: 0x464c_5446, migrations: migrationsOf("fleet") },
} as const;

export type DatabaseKind = keyof typeof databases;

/** Pages in the write-ahead log before a checkpoint: 4,096 of 4 KiB, so that checkpoints are rare and short. */
const walPages = 4096;

/** The size of SQLite's header at the start of every database file. */
const headerBytes = 100;

/** Opens or creates a database, checks that it is ours, and updates its schema (ST21, ST22). */
export function openDatabase(kind: DatabaseKind, file: string, wallMs: number): DatabaseSync {
  try {
    assertOurs(kind, file);
    const db = new DatabaseSync(file, { timeout: 5000 });
    try {
      prepareDatabase(db, kind, file, wallMs);
      return db;
    } catch (reason) {
      db.close();
      throw reason;
    }
  } catch (reason) {
    throw toStoreError(reason, file);
  }
}

function prepareDatabase(db: DatabaseSync, kind: DatabaseKind, file: string, wallMs: number): void {
  const { applicationId, migrations } = databases[kind];
  const missing = missingMigrations(db, file, loadMigrations(migrations));
  // A new file gets its application id before write-ahead logging is enabled. The id is then in the file itself and not
  // in the log: a hub that is killed before its first checkpoint leaves a file that is recognized as ours.
  if (db.prepare("PRAGMA application_id").get()?.["application_id"] === 0)
    db.exec(`PRAGMA application_id = ${applicationId}`);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY");
  db.exec(`PRAGMA wal_autocheckpoint = ${walPages}; PRAGMA cache_size = -16384`);
  applyMigrations(db, missing, wallMs);
}

/** Checks the header before SQLite can write to the file: another program's database is refused unchanged. */
function assertOurs(kind: DatabaseKind, file: string): void {
  const header = file === ":memory:" ? undefined : readHeader(file);
  if (header === undefined || header.length === 0) return;
  const text = new TextDecoder("latin1").decode(header.subarray(0, 16));
  if (header.length < headerBytes || text !== "SQLite format 3\0") {
    throw new FlotillaError("STORE_FOREIGN", `${file} is not a database; move it away or name another data directory`, {
      ids: { file },
    });
  }
  const applicationId = new DataView(header.buffer, header.byteOffset).getUint32(68);
  if (applicationId !== databases[kind].applicationId) {
    throw new FlotillaError(
      "STORE_FOREIGN",
      `${file} is a database of another program, not a Flotilla ${kind} store; name another data directory`,
      {
        ids: { file },
      },
    );
  }
}

/** The first bytes of the file; undefined if it does not exist. */
function readHeader(file: string): Uint8Array | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) {
    throw new FlotillaError("STORE_FOREIGN", `${file} is not a file; move it away or name another data directory`, {
      ids: { file },
    });
  }
  const descriptor = openSync(file, "r");
  try {
    const header = new Uint8Array(headerBytes);
    return header.subarray(0, readSync(descriptor, header, 0, headerBytes, 0));
  } finally {
    closeSync(descriptor);
  }
}
