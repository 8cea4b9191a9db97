// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { delta, flush, SettableClock } from "../../../test/support/store-fleet-log.ts";
import { openScratch } from "../../../test/support/store-under-test.ts";
import { databases } from "../sqlite/database.ts";
import { applyMigrations, loadMigrations } from "../sqlite/migrate.ts";
import { SqliteFleetLog } from "./sqlite-fleet-log.ts";

function countRows(file: string, table: string): number {
  using db = new DatabaseSync(file, { readOnly: true });
  return Number(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"]);
}

describe("the fleet log in SQLite", () => {
  test("[FL3] a flush that fails at its second kind leaves nothing of its first, and can be sent again", () => {
    using scratch = openScratch();
    const file = scratch.path("fleet.db");
    const log = new SqliteFleetLog({ file, clock: new SettableClock() });
    log.append(flush(1, [delta("pods")]));
    using db = new DatabaseSync(file);
    // As a disk does that fills up in the middle: an AUTOINCREMENT table whose last number is taken reports
    // SQLITE_FULL.
    db.exec(`CREATE TABLE full_disk (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER);
      INSERT INTO full_disk (id) VALUES (9223372036854775807);
      CREATE TRIGGER fill_up AFTER INSERT ON segments WHEN NEW.resource = 'nodes'
      BEGIN INSERT INTO full_disk (at) VALUES (1); END`);
    const next = flush(2, [delta("more pods"), delta("nodes", "nodes")]);
    expect(() => log.append(next)).toThrow(expect.objectContaining({ code: "STORE_FULL" }));
    expect(log.progress("c1", "")).toMatchObject({ seq: 1 });
    expect(countRows(file, "segments")).toBe(1);
    db.exec("DROP TRIGGER fill_up");
    expect(log.append(next)).toMatchObject({ kind: "appended" });
    log.close();
  });

  test("[FL7] an unfinished checkpoint leaves not a byte after the next open", () => {
    using scratch = openScratch();
    const file = scratch.path("fleet.db");
    const clock = new SettableClock();
    const first = new SqliteFleetLog({ file, clock });
    first.append(flush(1, [delta("pods")]));
    const unfinished = first.beginCheckpoint("c1", "pods", 1);
    for (let piece = 0; piece < 5; piece += 1) first.addCheckpointPiece(unfinished, new Uint8Array(10_000));
    first.close();
    expect(countRows(file, "checkpoint_pieces")).toBe(5);
    new SqliteFleetLog({ file, clock }).close();
    expect(countRows(file, "checkpoint_pieces")).toBe(0);
    expect(countRows(file, "checkpoints")).toBe(0);
  });

  test("[FL9] each call to retain removes a bounded piece and returns whether there is more", () => {
    using scratch = openScratch();
    const log = new SqliteFleetLog({ file: scratch.path("fleet.db"), clock: new SettableClock() });
    const parts = Array.from({ length: 1200 }, (_, index) => delta(`pod ${index}`));
    const outcome = log.append(flush(1, parts));
    if (outcome.kind !== "appended") throw new Error("the flush was not appended");
    const checkpoint = log.beginCheckpoint("c1", "pods", outcome.position);
    log.completeCheckpoint(checkpoint);
    const pieces = [
      log.retain(outcome.receivedAtMs),
      log.retain(outcome.receivedAtMs),
      log.retain(outcome.receivedAtMs),
    ];
    expect(pieces.map(({ more }) => more)).toEqual([true, true, false]);
    for (const { removed } of pieces) expect(removed).toBeLessThanOrEqual(500);
    expect(pieces.reduce((sum, { removed }) => sum + removed, 0)).toBe(1200);
    log.close();
  });

  test("[ST21] [FL14] a log of an older schema keeps its history, and is followed from its newest position on", () => {
    using scratch = openScratch();
    const file = scratch.path("fleet.db");
    const { applicationId, migrations } = databases.fleet;
    using db = new DatabaseSync(file);
    db.exec(`PRAGMA application_id = ${applicationId}`);
    applyMigrations(db, loadMigrations(migrations).slice(0, 1), 1);
    db.exec(`INSERT INTO segments (cluster, resource, form, incarnation, seq, received_at_ms, bytes)
      VALUES ('c1', 'pods', 0, 'i1', 1, 1, x'61'), ('c1', 'pods', 0, 'i1', 2, 2, x'62')`);
    const log = new SqliteFleetLog({ file, clock: new SettableClock() });
    expect(log.load({ cluster: "c1", resource: "pods", bytesLimit: 100 }).segments).toHaveLength(2);
    expect(() => log.follow({ after: 0, bytesLimit: 100 })).toThrow(expect.objectContaining({ code: "GONE" }));
    const head = log.headPosition();
    log.append(flush(1, [delta("later")], { incarnation: "i2" }));
    expect(log.follow({ after: head, bytesLimit: 100 }).steps).toMatchObject([{ kind: "flush", incarnation: "i2" }]);
    log.close();
  });

  test("[FL10] positions are never given out again, so a checkpoint cannot cover what came after it", () => {
    using scratch = openScratch();
    const log = new SqliteFleetLog({ file: scratch.path("fleet.db"), clock: new SettableClock() });
    const first = log.append(flush(1, [delta("a")]));
    while (log.removeCluster("c1").more);
    const second = log.append(flush(1, [delta("b")]));
    if (first.kind !== "appended" || second.kind !== "appended") throw new Error("the flushes were not appended");
    expect(second.position).toBeGreaterThan(first.position);
    log.close();
  });
});
