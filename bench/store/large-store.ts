// SPDX-License-Identifier: Apache-2.0
import { statSync } from "node:fs";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { toRevision } from "../../src/model/revision.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import type { Store } from "../../src/store/store.ts";
import { objects } from "../../src/store/tables.ts";
import { readRssMib, report } from "./report.ts";

const objectCount = 1_000_000;
const changeCount = 200_000;
/**
 * Smaller than real ones, so that the file is made in seconds; what is measured here depends on rows, not on their
 * bytes.
 */
const bodyBytes = 300;

/** Writes the rows that a million commits would have left, in one transaction. */
function buildStore(file: string): void {
  using db = openDatabase("hub", file, 0);
  const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
  const key = "printf('ns-%04d', i / 1000), printf('web-%07d', i)";
  db.exec("BEGIN; INSERT INTO meta (id, store_id, revision, compacted_revision) VALUES (1, 'st_large', 0, 0)");
  db.prepare("UPDATE meta SET revision = ?, compacted_revision = ?").run(objectCount, objectCount - changeCount);
  db.prepare(
    `${numbers} INSERT INTO bodies SELECT i, NULL, CAST(printf('{"n":%0${bodyBytes}d}', i) AS BLOB) FROM n`,
  ).run(objectCount);
  db.prepare(`${numbers} INSERT INTO objects SELECT 'root', 'apps/deployments', ${key}, i FROM n`).run(objectCount);
  db.prepare(
    `${numbers} INSERT INTO changes SELECT i, 'objects', concat_ws(char(31), 'root', 'apps/deployments', ${key}), 0, 0, 0
     FROM n WHERE i > ?`,
  ).run(objectCount, objectCount - changeCount);
  db.exec("COMMIT");
}

async function timed<Value>(work: () => Promise<Value>): Promise<{ readonly value: Value; readonly tookMs: number }> {
  const startMs = performance.now();
  const value = await work();
  return { value, tookMs: performance.now() - startMs };
}

async function followToEnd(store: Store): Promise<number> {
  const stop = new AbortController();
  const from = store.cursor(toRevision(objectCount - changeCount));
  let count = 0;
  for await (const { changes } of store.watch(objects, { from, signal: stop.signal })) {
    count += changes.length;
    if (count === changeCount) stop.abort(new Error("read to the end"));
  }
  return count;
}

/**
 * A store of a million objects with 200,000 changes behind it: opening it, the first pages, and a watch that resumes
 * far back.
 */
export async function benchLargeStore(makeFolder: () => string): Promise<void> {
  const open = (folder: string): Promise<Store> => {
    const files = { file: `${folder}/hub.db`, keyFile: `${folder}/keys`, encryptedResources: ["secrets"] };
    return openHubStore(files, { clock: systemClock });
  };
  const empty = await timed(() => open(makeFolder()));
  await empty.value.close();
  const folder = makeFolder();
  const built = await timed(async () => buildStore(`${folder}/hub.db`));
  const rssBeforeMib = readRssMib();
  const { value: store, tookMs: openMs } = await timed(() => open(folder));
  const rssOpenMib = readRssMib();
  const first = await timed(() => store.list(objects));
  const past = await timed(() => store.list(objects, { asOf: toRevision(objectCount - changeCount) }));
  const resumed = await timed(() => followToEnd(store));
  report(`open ${objectCount} objects, ${changeCount} changes`, {
    openMs,
    openEmptyMs: empty.tookMs,
    rssBeforeMib,
    rssOpenMib,
    rssAfterReadsMib: readRssMib(),
    fileMib: statSync(`${folder}/hub.db`).size / 1024 / 1024,
    buildMs: built.tookMs,
  });
  report("first page of 500 rows", { newestMs: first.tookMs, asOfOldestMs: past.tookMs });
  report(`watch resumed ${changeCount} changes back`, {
    tookMs: resumed.tookMs,
    changesPerSecond: resumed.value / (resumed.tookMs / 1000),
  });
  await store.close();
}
