// SPDX-License-Identifier: Apache-2.0
// What SQLite itself can do on this machine: the store's tables and statements, one thread, no store around them.
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { makeKey, makeObject } from "./objects.ts";

/** Writes a second, in transactions of `batch` writes each, for about `runMs`. */
export function measureBare(file: string, batch: number, runMs: number): number {
  using db = openDatabase("hub", file, 0);
  db.exec("INSERT INTO meta (id, store_id, revision, compacted_revision) VALUES (1, 'st_bare', 0, 0)");
  const current = db.prepare(
    `SELECT t.revision, b.key_id, b.body FROM objects t JOIN bodies b ON b.revision = t.revision
     WHERE t.workspace_id = ? AND t.resource = ? AND t.namespace = ? AND t.name = ?`,
  );
  const change = db.prepare(
    "INSERT INTO changes (revision, kind, key, is_delete, previous_revision, at_ms) VALUES (?, 'objects', ?, 0, ?, ?)",
  );
  const body = db.prepare("INSERT INTO bodies (revision, key_id, body) VALUES (?, NULL, ?)");
  const row = db.prepare(
    `INSERT INTO objects (workspace_id, resource, namespace, name, revision) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET revision = excluded.revision`,
  );
  const head = db.prepare("UPDATE meta SET revision = ?");
  let revision = 0;
  const startMs = performance.now();
  while (performance.now() - startMs < runMs) {
    db.exec("BEGIN IMMEDIATE");
    for (let index = 0; index < batch; index += 1) {
      revision += 1;
      const key = makeKey(revision);
      const previous = Number(current.get(...key)?.["revision"] ?? 0);
      change.run(revision, key.join("\u001f"), previous, Date.now());
      body.run(revision, makeObject(revision));
      row.run(...key, revision);
    }
    head.run(revision);
    db.exec("COMMIT");
  }
  return revision / ((performance.now() - startMs) / 1000);
}
