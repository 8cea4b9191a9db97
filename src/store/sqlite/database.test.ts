// SPDX-License-Identifier: Apache-2.0
import { copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { createPlainEngine, openScratch } from "../../../test/support/store-under-test.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import type { EngineUnit } from "../store-engine.ts";
import { openDatabase } from "./database.ts";
import type { SqliteEngine } from "./sqlite-engine.ts";

function openEngine(file: string): SqliteEngine {
  return createPlainEngine(file, new ManualClock());
}

function write(name: string, bytes = 10): EngineUnit {
  const key = ["root", "configmaps", "default", name].join("\u001f");
  return { writes: [{ table: "objects", key, body: new Uint8Array(bytes), expect: "any" }] };
}

const foreign = expect.objectContaining({ code: "STORE_FOREIGN", next: "stop" });
const corrupt = expect.objectContaining({ code: "STORE_CORRUPT", next: "stop" });

/** A closed store of some 100 pages. */
function makeStore(file: string): void {
  const engine = openEngine(file);
  engine.commit(Array.from({ length: 100 }, (_, index) => write(`n${index}`, 4000)));
  engine.close();
}

describe("files that are not ours", () => {
  test.each<[string, string | Uint8Array]>([
    ["a text", "dear hub,\n".repeat(50)],
    ["a picture", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, ...new Uint8Array(200))],
    ["shorter than a header", "SQLite format 3\0"],
    ["zeros", new Uint8Array(8192)],
  ])("[ST22] %s is refused with STORE_FOREIGN and stays as it is", (_what, content) => {
    using scratch = openScratch();
    const file = scratch.path("hub.db");
    writeFileSync(file, content);
    const before = readFileSync(file);
    expect(() => openEngine(file)).toThrow(foreign);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(scratch.folder)).toEqual(["hub.db"]);
  });

  test("[ST22] a database of another program, marked or not, is refused and stays as it is", () => {
    using scratch = openScratch();
    for (const [name, pragma] of [
      ["unmarked.db", ""],
      ["marked.db", "PRAGMA application_id = 1234"],
    ] as const) {
      const file = scratch.path(name);
      using other = new DatabaseSync(file);
      other.exec(`${pragma}; CREATE TABLE meta (id INTEGER); INSERT INTO meta VALUES (1)`);
      other.close();
      const before = readFileSync(file);
      expect(() => openEngine(file)).toThrow(foreign);
      expect(readFileSync(file).equals(before)).toBe(true);
    }
    expect(readdirSync(scratch.folder)).toHaveLength(2);
  });

  test("[ST22] the fleet log's file is not taken for the hub's, nor the other way round", () => {
    using scratch = openScratch();
    openDatabase("fleet", scratch.path("fleet.db"), 0).close();
    openDatabase("hub", scratch.path("hub.db"), 0).close();
    expect(() => openDatabase("hub", scratch.path("fleet.db"), 0)).toThrow(foreign);
    expect(() => openDatabase("fleet", scratch.path("hub.db"), 0)).toThrow(foreign);
  });

  test("[ST22] a directory in the place of the file is refused by name", () => {
    using scratch = openScratch();
    mkdirSync(scratch.path("hub.db"));
    expect(() => openEngine(scratch.path("hub.db"))).toThrow(foreign);
  });

  test("[ST22] a folder that is missing or cannot be written is UNAVAILABLE with what to check", () => {
    using scratch = openScratch();
    const unavailable = expect.objectContaining({ code: "UNAVAILABLE", message: expect.stringContaining("folder") });
    expect(() => openEngine(scratch.path("nowhere/hub.db"))).toThrow(unavailable);
    // The kernel's own folder: not even root may make a file there.
    expect(() => openEngine("/proc/hub.db")).toThrow(unavailable);
  });
});

describe("files that are ours", () => {
  test("[ST22] an empty file becomes a store", () => {
    using scratch = openScratch();
    writeFileSync(scratch.path("hub.db"), "");
    const engine = openEngine(scratch.path("hub.db"));
    engine.commit([write("a")]);
    engine.close();
    const again = openEngine(scratch.path("hub.db"));
    expect(again.state().revision).toBe(1);
    again.close();
  });

  test("[ST7] a store that was killed before its first checkpoint is known as ours and has everything", () => {
    using scratch = openScratch();
    const engine = openEngine(scratch.path("hub.db"));
    engine.commit([write("a"), write("b")]);
    mkdirSync(scratch.path("after-the-kill"));
    for (const name of ["hub.db", "hub.db-wal"])
      copyFileSync(scratch.path(name), scratch.path(`after-the-kill/${name}`));
    engine.close();
    const again = openEngine(scratch.path("after-the-kill/hub.db"));
    expect(again.state().revision).toBe(2);
    again.close();
  });

  test("[ST22] a database that was cut short is STORE_CORRUPT, at the latest when the missing part is read", () => {
    using scratch = openScratch();
    makeStore(scratch.path("whole.db"));
    const pages = readFileSync(scratch.path("whole.db")).length / 4096;
    for (const kept of [1, 2, 5, Math.floor(pages / 2), pages - 1]) {
      const file = scratch.path(`cut-${kept}.db`);
      copyFileSync(scratch.path("whole.db"), file);
      truncateSync(file, kept * 4096);
      expect(() => readEverything(file), `${kept} of ${pages} pages`).toThrow(corrupt);
    }
  });

  test("[ST22] a database with an overwritten page is STORE_CORRUPT when that page is read", () => {
    using scratch = openScratch();
    makeStore(scratch.path("whole.db"));
    const whole = readFileSync(scratch.path("whole.db"));
    const file = scratch.path("damaged.db");
    // Every page behind the first few, so that whichever page a read meets, the answer is the same.
    whole.fill(0x5a, 12 * 4096);
    writeFileSync(file, whole);
    expect(() => readEverything(file)).toThrow(corrupt);
  });
});

function readEverything(file: string): void {
  const engine = openEngine(file);
  try {
    engine.list({ table: "objects", prefix: "", limit: 5000, bytesLimit: 1e9 });
    engine.changes({ after: 0, limit: 5000, bytesLimit: 1e9 });
  } finally {
    engine.close();
  }
}
