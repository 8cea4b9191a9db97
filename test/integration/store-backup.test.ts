// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../src/base/random.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { backupDatabase } from "../../src/store/backup/backup-database.ts";
import { backupDataDirectory, restoreDataDirectory } from "../../src/store/backup/backup-folder.ts";
import { type DataPaths, dataPaths, lockDataDirectory } from "../../src/store/data-directory.ts";
import type { Store } from "../../src/store/store.ts";
import { objects, tokens } from "../../src/store/tables.ts";
import { CrashLedger } from "../support/store-crash-ledger.ts";
import { openCrashedStore } from "../support/store-crash-place.ts";
import { startWriter } from "../support/store-crash-run.ts";
import { commit, listAll, listTexts, putObject, revision, textOf } from "../support/store-rows.ts";
import { openSecretStore, putSecret, secretKey } from "../support/store-secrets.ts";
import { createPlainEngine, openScratch } from "../support/store-under-test.ts";
import { watchTo } from "../support/store-watching.ts";

const random = createSeededRandom("store-backup");

describe("a backup", () => {
  test("[ST29] [U-37] taken while a hub writes at full speed it is one consistent state, with everything acknowledged before", async () => {
    using scratch = openScratch();
    const place = { file: scratch.path("hub.db"), keyFile: scratch.path("keys") };
    const clock = new ManualClock();
    const writer = startWriter("store-crash-writer", [place.file, place.keyFile, "backup", "10000000"]);
    for (let round = 1; round <= 4; round += 1) {
      await writer.waitForLines(round * 400);
      const [, ...acks] = writer.lines();
      const copy = scratch.path(`copy-${round}.db`);
      await backupDatabase("hub", place.file, copy);
      const store = await openCrashedStore({ ...place, file: copy }, clock);
      const head = store.revision;
      const ledger = new CrashLedger();
      for (const table of [objects, tokens]) {
        const { changes } = await watchTo({ store, clock }, table, { from: revision(0), to: head });
        ledger.takeChanges(table.name, changes);
      }
      ledger.checkLine(Number(head));
      for (const ack of acks) ledger.checkAck(ack);
      await ledger.checkRows(store, 0);
      await store.close();
    }
    await writer.kill();
  });

  test("[ST29] a copy never takes the place of a file that is there; a store that is not there is told", async () => {
    using scratch = openScratch();
    const target = scratch.path("precious");
    createPlainEngine(scratch.path("hub.db"), new ManualClock()).close();
    for (const content of ["do not touch", ""]) {
      writeFileSync(target, content);
      await expect(backupDatabase("hub", scratch.path("hub.db"), target)).rejects.toThrow(
        expect.objectContaining({ code: "ALREADY_EXISTS", message: expect.stringContaining(target) }),
      );
      expect(readFileSync(target, "utf8")).toBe(content);
    }
    await expect(backupDatabase("hub", scratch.path("missing.db"), scratch.path("copy.db"))).rejects.toThrow(
      expect.objectContaining({ code: "UNAVAILABLE", message: expect.stringContaining("missing.db") }),
    );
    expect(existsSync(scratch.path("missing.db"))).toBe(false);
  });

  test("[CL20] the copy of a large database can be stopped in the middle, and shows how far it is", async () => {
    using scratch = openScratch();
    createPlainEngine(scratch.path("hub.db"), new ManualClock()).close();
    using db = new DatabaseSync(scratch.path("hub.db"));
    // More than one step of 4 MiB.
    db.exec("CREATE TABLE ballast (bytes BLOB); INSERT INTO ballast VALUES (zeroblob(6000000))");
    const stop = new AbortController();
    const interrupted = new Error("SIGINT");
    const percents: number[] = [];
    const onProgress = (_step: string, percent?: number): void => {
      if (percent === undefined) return;
      percents.push(percent);
      stop.abort(interrupted);
    };
    const copying = backupDatabase("hub", scratch.path("hub.db"), scratch.path("copy.db"), {
      signal: stop.signal,
      onProgress,
    });
    await expect(copying).rejects.toBe(interrupted);
    expect(percents).toEqual([expect.toSatisfy((percent: number) => percent > 30 && percent < 90)]);
  });
});

/** A data directory with three revisions, a secret and a lease in it. */
async function makeDataDirectory(folder: string): Promise<DataPaths> {
  const paths = dataPaths(folder);
  lockDataDirectory(folder)[Symbol.dispose]();
  const store = await openData(paths);
  await commit(store, putObject("a", "1"), putSecret("db", "a password"));
  await commit(store, putObject("a", "2"));
  await store.leases.acquire("leader", "hub-1", 3_600_000);
  await store.close();
  return paths;
}

function openData(paths: DataPaths): Promise<Store> {
  return openSecretStore({ file: paths.hubDb, keyFile: paths.keyFile });
}

async function backUp(paths: DataPaths, target: string, withKeys: boolean): Promise<void> {
  await backupDataDirectory(paths, { target, withKeys, version: "0.1.0", wallMs: 0 });
}

async function restore(paths: DataPaths, source: string): Promise<void> {
  await restoreDataDirectory(paths, { source, random, wallMs: 0 });
}

describe("backup and restore of a data directory", () => {
  test("[ST29] a backup holds no key unless asked for", async () => {
    using scratch = openScratch();
    const paths = await makeDataDirectory(scratch.path("data"));
    await backUp(paths, scratch.path("without"), false);
    await backUp(paths, scratch.path("with"), true);
    expect(readdirSync(scratch.path("without")).sort()).toEqual(["hub.db", "manifest.json"]);
    expect(readdirSync(scratch.path("with"))).toContain("keys");
    for (const name of readdirSync(scratch.path("without")))
      expect(readFileSync(scratch.path(`without/${name}`)).includes("a password")).toBe(false);
    await expect(backUp(paths, scratch.path("with"), true)).rejects.toThrow(
      expect.objectContaining({ code: "ALREADY_EXISTS" }),
    );
  });

  test("[ST20] [L1] a restored store has the rows, a new storeId and a raised line; no position from before counts", async () => {
    using scratch = openScratch();
    const paths = await makeDataDirectory(scratch.path("data"));
    await backUp(paths, scratch.path("backup"), true);
    const original = await openData(paths);
    const cursor = original.cursor();
    await original.close();
    const restored = dataPaths(scratch.path("restored"));
    await restore(restored, scratch.path("backup"));
    const store = await openData(restored);
    expect(store.storeId).not.toBe(cursor.storeId);
    expect(store.revision).toBe(cursor.revision + 1_000_000n);
    expect(textOf((await store.get(objects, secretKey("db")))?.value)).toBe("a password");
    expect(await listAll(store, objects)).toHaveLength(2);
    const stop = AbortSignal.abort();
    const batches = store.watch(objects, { from: cursor, signal: stop })[Symbol.asyncIterator]();
    await expect(batches.next()).rejects.toMatchObject({ code: "GONE" });
    await expect(store.list(objects, { asOf: cursor.revision })).rejects.toMatchObject({ code: "GONE" });
    const lease = await store.leases.acquire("leader", "hub-2", 1000);
    expect(lease.kind === "held" && lease.epoch > 1_000_000n).toBe(true);
    expect((await commit(store, putObject("a", "3"))).revision).toBe(store.cursor().revision);
    expect(await listTexts(store, { prefix: ["root", "configmaps"] })).toEqual(["a=3"]);
    await store.close();
  });

  test("[ST28] a backup with secrets and without their key is refused, and the folder is left as it was", async () => {
    using scratch = openScratch();
    const paths = await makeDataDirectory(scratch.path("data"));
    await backUp(paths, scratch.path("backup"), false);
    const restored = dataPaths(scratch.path("restored"));
    await expect(restore(restored, scratch.path("backup"))).rejects.toThrow(
      expect.objectContaining({ code: "STORE_KEY_MISSING" }),
    );
    expect(existsSync(restored.hubDb)).toBe(false);
    expect(readdirSync(restored.folder).filter((name) => name.startsWith("hub"))).toEqual([]);
    writeFileSync(restored.keyFile, readFileSync(paths.keyFile), { mode: 0o600 });
    await restore(restored, scratch.path("backup"));
    const store = await openData(restored);
    expect(textOf((await store.get(objects, secretKey("db")))?.value)).toBe("a password");
    await store.close();
  });

  test("[ST22] a backup that was damaged, is none, or would cover a store is refused and nothing is written", async () => {
    using scratch = openScratch();
    const paths = await makeDataDirectory(scratch.path("data"));
    await backUp(paths, scratch.path("backup"), true);
    const whole = readFileSync(scratch.path("backup/hub.db"));
    const restored = dataPaths(scratch.path("restored"));
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(5000) ^ 1, 5000);
    writeFileSync(scratch.path("backup/hub.db"), damaged);
    await expect(restore(restored, scratch.path("backup"))).rejects.toThrow(
      expect.objectContaining({ code: "STORE_CORRUPT" }),
    );
    rmSync(scratch.path("backup/hub.db"));
    await expect(restore(restored, scratch.path("backup"))).rejects.toThrow(
      expect.objectContaining({ code: "STORE_CORRUPT" }),
    );
    await expect(restore(restored, scratch.folder)).rejects.toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
    writeFileSync(scratch.path("backup/manifest.json"), '{"format": 2}');
    await expect(restore(restored, scratch.path("backup"))).rejects.toThrow(
      expect.objectContaining({ code: "UNSUPPORTED_VERSION" }),
    );
    writeFileSync(scratch.path("backup/manifest.json"), "[]");
    await expect(restore(restored, scratch.path("backup"))).rejects.toThrow(
      expect.objectContaining({ code: "STORE_FOREIGN" }),
    );
    expect(existsSync(restored.hubDb)).toBe(false);
    await backUp(paths, scratch.path("second"), true);
    await expect(restore(paths, scratch.path("second"))).rejects.toThrow(
      expect.objectContaining({ code: "ALREADY_EXISTS" }),
    );
    const store = await openData(paths);
    expect(await listTexts(store, { prefix: ["root", "configmaps"] })).toEqual(["a=2"]);
    await store.close();
  });
});
