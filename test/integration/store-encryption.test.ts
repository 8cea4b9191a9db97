// SPDX-License-Identifier: Apache-2.0
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../src/base/random.ts";
import { addKey, openKeyFile } from "../../src/store/keys/key-file.ts";
import { remove } from "../../src/store/store.ts";
import { objects } from "../../src/store/tables.ts";
import { commit, listAll, putObject, revision, textOf } from "../support/store-rows.ts";
import {
  countByKey,
  filesHolding,
  openSecretStore,
  putSecret,
  type SecretPlace,
  secretKey,
} from "../support/store-secrets.ts";
import { openScratch } from "../support/store-under-test.ts";

const random = createSeededRandom("store-encryption");
const password = "correct-horse-battery-staple";

function openPlace(): SecretPlace & Disposable {
  const scratch = openScratch();
  return {
    file: scratch.path("hub.db"),
    keyFile: scratch.path("keys"),
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

/** Keeps only the newest key of the file. */
function dropOldKeys(place: SecretPlace): void {
  const [newest = ""] = readFileSync(place.keyFile, "utf8").split("\n");
  writeFileSync(place.keyFile, `${newest}\n`, { mode: 0o600 });
}

describe("secrets at rest", () => {
  test("[ST27] the text of a secret is in no file of the store: not while it is open, not after a checkpoint, not once deleted", async () => {
    using place = openPlace();
    const store = await openSecretStore(place);
    await commit(store, putSecret("db", `${password} v1`), putObject("plain", "everyone may read this"));
    await commit(store, putSecret("db", `${password} v2`));
    expect(filesHolding(place, password)).toEqual([]);
    expect(filesHolding(place, "everyone may read this")).toEqual(["-wal"]);
    await commit(store, remove(objects, secretKey("db")));
    await store.close();
    expect(filesHolding(place, password)).toEqual([]);
    expect(filesHolding(place, "everyone may read this")).toEqual([""]);
    const again = await openSecretStore(place);
    const [row] = await listAll(again, objects, { prefix: secretKey("db"), asOf: revision(3) });
    expect(textOf(row?.value)).toBe(`${password} v2`);
    await again.close();
  });

  test("[ST28] a resource that is configured only now is sealed by rewrapping, large bodies too", async () => {
    using place = openPlace();
    const before = await openSecretStore(place, []);
    const texts = Array.from({ length: 12 }, (_, index) => password.repeat(index < 6 ? 1 : 100_000));
    for (const [index, text] of texts.entries()) await commit(before, putSecret(`db-${10 + index}`, text));
    await before.close();
    expect(Object.keys(countByKey(place))).toEqual([""]);
    const store = await openSecretStore(place);
    expect(await store.rewrapBodies()).toBe(12);
    expect((await listAll(store, objects)).map(({ value }) => textOf(value))).toEqual(texts);
    await store.close();
    expect(countByKey(place)).toEqual({ [openKeyFile(place.keyFile, random).primary]: 12 });
  });

  test("[ST28] rotation while writing: no new revision, all values the same, and the old key is needed no more", async () => {
    using place = openPlace();
    const first = await openSecretStore(place);
    for (let index = 0; index < 1200; index += 1) await commitSome(first, index);
    await commit(first, remove(objects, secretKey("db-0")));
    await first.close();
    addKey(place.keyFile, random);
    const { primary } = openKeyFile(place.keyFile, random);
    const store = await openSecretStore(place);
    const start = store.revision;
    const rewrapping = store.rewrapBodies();
    const writes = Array.from({ length: 100 }, (_, index) =>
      commit(store, putSecret(`late-${index % 7}`, `late ${index}`)),
    );
    expect(await rewrapping).toBeGreaterThanOrEqual(1200);
    await Promise.all(writes);
    expect(store.revision).toBe(start + 100n);
    expect(await store.rewrapBodies()).toBe(0);
    await store.close();
    expect(countByKey(place)).toEqual({ [primary]: 1300 });
    dropOldKeys(place);
    const last = await openSecretStore(place);
    expect(textOf((await last.get(objects, secretKey("db-5")))?.value)).toBe(`${password} 1195`);
    const past = await listAll(last, objects, { asOf: revision(start - 1n) });
    expect(past.map(({ value }) => textOf(value))).toEqual(
      Array.from({ length: 10 }, (_, index) => `${password} ${1190 + index}`),
    );
    await last.close();
  });

  test("[ST28] with its key missing a secret is STORE_KEY_MISSING, never empty; everything else is read and written as ever", async () => {
    using place = openPlace();
    const first = await openSecretStore(place);
    await commit(first, putSecret("db", password), putObject("plain", "1"));
    await first.close();
    addKey(place.keyFile, random);
    dropOldKeys(place);
    const store = await openSecretStore(place);
    const missing = { code: "STORE_KEY_MISSING", message: expect.stringContaining("key_") };
    await expect(store.get(objects, secretKey("db"))).rejects.toMatchObject(missing);
    await expect(store.list(objects)).rejects.toMatchObject(missing);
    await expect(store.rewrapBodies()).rejects.toMatchObject(missing);
    expect(textOf((await listAll(store, objects, { prefix: ["root", "configmaps"] }))[0]?.value)).toBe("1");
    await commit(store, putSecret("other", password), putObject("plain", "2"));
    await store.close();
  });

  test("[ST8] [ST28] a commit to a secret whose key is missing harms no other commit of its group", async () => {
    using place = openPlace();
    const first = await openSecretStore(place);
    await commit(first, putSecret("db", password));
    await first.close();
    addKey(place.keyFile, random);
    dropOldKeys(place);
    const store = await openSecretStore(place);
    const outcomes = await Promise.allSettled([
      commit(store, putObject("first", "1")),
      commit(store, putObject("a", "1")),
      commit(store, putSecret("db", "another")),
      commit(store, putObject("b", "1")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[2]).toMatchObject({ reason: { code: "STORE_KEY_MISSING" } });
    expect(store.revision).toBe(4n);
    await store.close();
  });

  test("[ST27] a sealed body that was swapped with another row's does not open", async () => {
    using place = openPlace();
    const first = await openSecretStore(place);
    await commit(first, putSecret("admin", "for the admin"), putSecret("guest", "for the guest"));
    await first.close();
    using db = new DatabaseSync(place.file);
    db.exec("UPDATE bodies SET revision = -revision; UPDATE bodies SET revision = 3 + revision");
    db.close();
    const store = await openSecretStore(place);
    for (const name of ["admin", "guest"]) {
      await expect(store.get(objects, secretKey(name))).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    }
    await store.close();
  });

  test("[ST27] a key file that others can read keeps the store from opening", async () => {
    using place = openPlace();
    openKeyFile(place.keyFile, random);
    chmodSync(place.keyFile, 0o644);
    await expect(openSecretStore(place)).rejects.toMatchObject({
      code: "STORE_FOREIGN",
      message: expect.stringContaining("mode 644"),
    });
  });
});

/** Ten secrets, written over and over; ten commits are under way at a time. */
async function commitSome(store: Awaited<ReturnType<typeof openSecretStore>>, index: number): Promise<void> {
  const written = commit(store, putSecret(`db-${index % 10}`, `${password} ${index}`));
  if (index % 10 === 9) await written;
}
