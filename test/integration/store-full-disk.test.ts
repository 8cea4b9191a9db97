// SPDX-License-Identifier: Apache-2.0
// A full disk, twice: as SQLite reports it in the middle of a transaction, which runs everywhere, and a real one.
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { createStore } from "../../src/store/create-store.ts";
import { put, type Store } from "../../src/store/store.ts";
import type { StoreEngine } from "../../src/store/store-engine.ts";
import { objects } from "../../src/store/tables.ts";
import { commit, listAll, listTexts, objectKey, putObject, revision } from "../support/store-rows.ts";
import { openSecretStore } from "../support/store-secrets.ts";
import { canMount, openSmallDisk } from "../support/store-tmpfs.ts";
import { createPlainEngine, openScratch } from "../support/store-under-test.ts";
import { watchTo } from "../support/store-watching.ts";

function openStore(file: string, clock: ManualClock): Promise<Store> {
  return createStore(createInThreadPort<StoreEngine>(createPlainEngine(file, clock)), { clock });
}

/**
 * Makes SQLite answer SQLITE_FULL as soon as a change record of revision `from` or later is written: an AUTOINCREMENT
 * table whose last number is taken reports exactly that. Gives back what ends the fault.
 */
function fillUp(file: string, from: number): () => void {
  using db = new DatabaseSync(file);
  db.exec(`CREATE TABLE full_disk (id INTEGER PRIMARY KEY AUTOINCREMENT, revision INTEGER);
    INSERT INTO full_disk (id) VALUES (9223372036854775807);
    CREATE TRIGGER fill_up AFTER INSERT ON changes WHEN NEW.revision >= ${from}
    BEGIN INSERT INTO full_disk (revision) VALUES (NEW.revision); END`);
  return () => {
    using again = new DatabaseSync(file);
    again.exec("DROP TRIGGER fill_up");
  };
}

describe("a full disk", () => {
  test("[ST23] the commits of that moment are refused whole, earlier ones stay, and the store works on", async () => {
    using scratch = openScratch();
    const clock = new ManualClock();
    const file = scratch.path("hub.db");
    const store = await openStore(file, clock);
    await commit(store, putObject("before", "1"));
    const makeRoom = fillUp(file, 3);
    const full = { code: "STORE_FULL", next: "retry" };
    await expect(store.commit([putObject("a", "1"), putObject("b", "1")])).rejects.toMatchObject(full);
    expect(store.revision).toBe(1n);
    expect(await listTexts(store)).toEqual(["before=1"]);
    makeRoom();
    expect((await commit(store, putObject("a", "2"), putObject("b", "2"))).revisions).toEqual([2n, 3n]);
    const { changes } = await watchTo({ store, clock }, objects, { from: revision(0), to: revision(3) });
    expect(changes.map(({ revision }) => revision)).toEqual([1n, 2n, 3n]);
    await store.close();
    const again = await openStore(file, clock);
    expect(await listTexts(again)).toEqual(["a=2", "b=2", "before=1"]);
    await again.close();
  });

  test("[ST23] leases, compaction and reading go on or fail with STORE_FULL; none of them harms what is there", async () => {
    using scratch = openScratch();
    const store = await openStore(scratch.path("hub.db"), new ManualClock());
    await commit(store, putObject("a", "1"));
    const makeRoom = fillUp(scratch.path("hub.db"), 0);
    await expect(store.commit([putObject("b", "1")])).rejects.toMatchObject({ code: "STORE_FULL" });
    expect(await store.leases.acquire("leader", "hub-1", 1000)).toMatchObject({ kind: "held" });
    expect(await store.compact({ olderThanMs: -1, keepCount: 0 })).toBe(1n);
    expect(await listTexts(store)).toEqual(["a=1"]);
    makeRoom();
    expect((await commit(store, putObject("b", "1"))).revision).toBe(2n);
    await store.close();
  });
});

describe.runIf(canMount())("a real full disk", () => {
  const value = { body: new Uint8Array(20_000).fill(7) };

  test("[ST23] no acknowledged commit is lost, and writing goes on once there is room", async () => {
    using disk = openSmallDisk(2048);
    if (disk === undefined) return;
    const place = { file: disk.path("hub.db"), keyFile: disk.path("keys") };
    const store = await openSecretStore(place);
    const written: string[] = [];
    const refused: unknown[] = [];
    // Four at a time, so that groups are small beside the disk and it fills up in the middle.
    const writeMany = async (writer: string): Promise<void> => {
      for (let index = 0; index < 100; index += 1) {
        const name = `${writer}${index}`;
        const committed = commit(store, put(objects, objectKey(name), value));
        await committed.then(
          () => written.push(name),
          (reason: unknown) => refused.push(reason),
        );
      }
    };
    await Promise.all(["a", "b", "c", "d"].map(writeMany));
    expect(written.length).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(0);
    for (const reason of refused) expect(reason).toMatchObject({ code: "STORE_FULL" });
    expect((await listAll(store, objects)).map(({ key }) => key[3] ?? "").sort()).toEqual(written.toSorted());
    disk.remount("size=64m");
    await commit(store, putObject("after", "1"));
    expect(store.revision).toBe(BigInt(written.length + 1));
    await store.close();
    const again = await openSecretStore(place);
    expect((await listAll(again, objects)).map(({ key }) => key[3] ?? "").sort()).toEqual(["after", ...written].sort());
    await again.close();
  });

  test("[ST22] on a disk that cannot be written the store does not open, and says what to check", async () => {
    using disk = openSmallDisk(8192);
    if (disk === undefined) return;
    const place = { file: disk.path("hub.db"), keyFile: disk.path("keys") };
    await (await openSecretStore(place)).close();
    disk.remount("ro");
    await expect(openSecretStore(place)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("may be written"),
    });
  });
});
