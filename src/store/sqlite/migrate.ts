// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";

/** One numbered migration from sql/. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** The migrations of one database, in order. Files are named `0001_name.sql`, without gaps. */
export function loadMigrations(folder: URL): readonly Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  return names.map((name, index) => {
    const number = Number.parseInt(name, 10);
    assert(number === index + 1, `migration ${name} is not number ${index + 1}`);
    return { number, name, sql: readFileSync(new URL(name, folder), "utf8") };
  });
}

/**
 * The migrations that the database lacks. Applied migrations are compared with the code's. A database that this code
 * cannot serve is refused before anything is written to it (ST21, ST22).
 */
export function missingMigrations(
  db: DatabaseSync,
  file: string,
  migrations: readonly Migration[],
): readonly Migration[] {
  const isNew = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").get() === undefined;
  const applied = isNew ? [] : db.prepare("SELECT number, sha256 FROM migrations ORDER BY number").all();
  const newest = Number(applied.at(-1)?.["number"] ?? 0);
  if (newest > migrations.length) {
    const sentence = `${file} was written by a newer Flotilla (schema ${newest}, this one knows ${migrations.length}); use that release, or restore a backup`;
    throw new FlotillaError("STORE_NEWER", sentence, { ids: { file } });
  }
  return migrations.filter((migration, index) => {
    const stored = applied[index];
    if (stored === undefined || stored["sha256"] === sha256Of(migration)) return stored === undefined;
    throw new FlotillaError(
      "STORE_FOREIGN",
      `migration ${migration.name} of ${file} differs from that of this release; use the release that wrote the store`,
      { ids: { file } },
    );
  });
}

/** Runs migrations in order, each in one transaction with its record (ST21). */
export function applyMigrations(db: DatabaseSync, migrations: readonly Migration[], wallMs: number): void {
  if (migrations.length === 0) return;
  db.exec(`CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT`);
  for (const migration of migrations) applyMigration(db, migration, wallMs);
}

function sha256Of({ sql }: Migration): string {
  return createHash("sha256").update(sql).digest("hex");
}

function applyMigration(db: DatabaseSync, migration: Migration, wallMs: number): void {
  const { number, name } = migration;
  db.exec("BEGIN IMMEDIATE");
  try {
    // The record is inserted first: a concurrent process waits here and then fails on the number instead of running the
    // migration twice.
    db.prepare("INSERT INTO migrations VALUES (?, ?, ?, ?)").run(number, name, sha256Of(migration), wallMs);
    db.exec(migration.sql);
    db.exec("COMMIT");
  } catch (reason) {
    db.exec("ROLLBACK");
    throw reason;
  }
}
