// SPDX-License-Identifier: Apache-2.0
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import {
  commit,
  listAll,
  listTexts,
  putObject,
  putToken,
  removeObject,
  revision,
} from "../../../test/support/store-rows.ts";
import { createPlainEngine, openScratch } from "../../../test/support/store-under-test.ts";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { createStore } from "../create-store.ts";
import type { Store } from "../store.ts";
import type { StoreEngine } from "../store-engine.ts";
import { tokens } from "../tables.ts";
import { databases } from "./database.ts";
import { applyMigrations, loadMigrations, type Migration, missingMigrations } from "./migrate.ts";

function openStore(file: string): Promise<Store> {
  const clock = new ManualClock();
  return createStore(createInThreadPort<StoreEngine>(createPlainEngine(file, clock)), { clock });
}

/** What a later release would hold: the migrations of today and one more. */
function loadFutureMigrations(folder: string): readonly Migration[] {
  mkdirSync(folder);
  const today = readdirSync(databases.hub.migrations);
  for (const name of today) copyFileSync(new URL(name, databases.hub.migrations), `${folder}/${name}`);
  const number = String(today.length + 1).padStart(4, "0");
  writeFileSync(
    `${folder}/${number}_labels.sql`,
    "ALTER TABLE objects ADD COLUMN label TEXT NOT NULL DEFAULT 'none'; CREATE TABLE labels (name TEXT PRIMARY KEY) STRICT;",
  );
  return loadMigrations(pathToFileURL(`${folder}/`));
}

function upgrade(file: string, migrations: readonly Migration[]): void {
  using db = new DatabaseSync(file);
  applyMigrations(db, missingMigrations(db, file, migrations), 1);
}

describe("migrations of the hub database", () => {
  test("[ST21] [U-50] a database of an older schema is upgraded and keeps all rows, history and revisions", async () => {
    using scratch = openScratch();
    const file = scratch.path("hub.db");
    const store = await openStore(file);
    await commit(store, putObject("a", "1"), putToken("t", "anna"));
    await commit(store, putObject("a", "2"), removeObject("b"));
    await store.close();
    upgrade(file, loadFutureMigrations(scratch.path("sql")));
    using db = new DatabaseSync(file);
    expect(db.prepare("SELECT name, label FROM objects").all()).toEqual([{ name: "a", label: "none" }]);
    expect(db.prepare("SELECT user_name FROM tokens").all()).toEqual([{ user_name: "anna" }]);
    expect(
      db
        .prepare("SELECT revision FROM changes")
        .all()
        .map(({ revision }) => revision),
    ).toEqual([1, 2, 3]);
    expect(db.prepare("SELECT number FROM migrations").all()).toHaveLength(
      readdirSync(databases.hub.migrations).length + 1,
    );
  });

  test("[ST21] what was applied is not run again, and the rows stay through any number of openings", async () => {
    using scratch = openScratch();
    const file = scratch.path("hub.db");
    for (let round = 1; round <= 3; round += 1) {
      const store = await openStore(file);
      expect(store.revision).toBe(BigInt(round - 1));
      await commit(store, putObject(`n${round}`, "1"));
      await store.close();
    }
    const store = await openStore(file);
    expect(await listTexts(store)).toEqual(["n1=1", "n2=1", "n3=1"]);
    expect(await listAll(store, tokens, { asOf: revision(0) })).toEqual([]);
    await store.close();
  });

  test("[ST22] [U-50] a database with more migrations than the code knows is refused, and not one byte of it changes", async () => {
    using scratch = openScratch();
    const file = scratch.path("hub.db");
    const store = await openStore(file);
    await commit(store, putObject("a", "1"));
    await store.close();
    upgrade(file, loadFutureMigrations(scratch.path("sql")));
    const before = readFileSync(file);
    await expect(async () => openStore(file)).rejects.toMatchObject({
      code: "STORE_NEWER",
      message: expect.stringMatching(/newer Flotilla \(schema \d+, this one knows \d+\)/),
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(scratch.folder).sort()).toEqual(["hub.db", "sql"]);
  });

  test("[ST22] a newer database that is not in write-ahead mode, as a backup is, is not touched either", async () => {
    using scratch = openScratch();
    const file = scratch.path("copy.db");
    const store = await openStore(scratch.path("hub.db"));
    await store.close();
    upgrade(scratch.path("hub.db"), loadFutureMigrations(scratch.path("sql")));
    using db = new DatabaseSync(scratch.path("hub.db"));
    db.prepare("VACUUM INTO ?").run(file);
    const before = readFileSync(file);
    await expect(async () => openStore(file)).rejects.toMatchObject({ code: "STORE_NEWER" });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("[ST21] a stored migration whose text is not the code's is refused by its name", async () => {
    using scratch = openScratch();
    const file = scratch.path("hub.db");
    await (await openStore(file)).close();
    using db = new DatabaseSync(file);
    db.exec("UPDATE migrations SET sha256 = 'edited' WHERE number = 1");
    await expect(async () => openStore(file)).rejects.toMatchObject({
      code: "STORE_FOREIGN",
      message: expect.stringContaining("0001_spine.sql"),
    });
  });

  test("[ST21] a migration that fails leaves the database as it was before it", () => {
    using scratch = openScratch();
    using db = new DatabaseSync(scratch.path("hub.db"));
    const failing = [
      { number: 1, name: "0001_good.sql", sql: "CREATE TABLE good (id INTEGER) STRICT" },
      { number: 2, name: "0002_bad.sql", sql: "CREATE TABLE bad (id INTEGER) STRICT; INSERT INTO nowhere VALUES (1)" },
    ];
    expect(() => applyMigrations(db, failing, 1)).toThrow("nowhere");
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
    expect(tables.map(({ name }) => name)).toEqual(["good", "migrations"]);
    expect(missingMigrations(db, "hub.db", failing).map(({ number }) => number)).toEqual([2]);
  });

  test("[ST21] a gap in the numbers of migrations is a bug", () => {
    using scratch = openScratch();
    writeFileSync(scratch.path("0001_one.sql"), "");
    writeFileSync(scratch.path("0003_three.sql"), "");
    expect(() => loadMigrations(pathToFileURL(`${scratch.folder}/`))).toThrow("0003_three.sql is not number 2");
  });
});
