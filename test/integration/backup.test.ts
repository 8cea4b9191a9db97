// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/system-clock.ts";
import { systemRandom } from "../../src/base/system-random.ts";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { dataPaths } from "../../src/store/data-directory.ts";
import { backupDataDirectory, restoreDataDirectory } from "../../src/store/sqlite/backup-folder.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { restoredRevisionStep } from "../../src/store/sqlite/restore.ts";
import { put } from "../../src/store/store.ts";
import { objects } from "../../src/store/tables.ts";
import { startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const wallMs = Date.UTC(2026, 10, 1);

function backUp(dataDir: string, target: string, withKeys = false) {
  return backupDataDirectory(dataPaths(dataDir), { target, withKeys, version: "test", wallMs });
}

function restoreTo(dataDir: string, source: string) {
  return restoreDataDirectory(dataPaths(dataDir), { source, random: systemRandom, wallMs });
}

function openStore(dataDir: string) {
  const { hubDb, keyFile } = dataPaths(dataDir);
  return openHubStore({ file: hubDb, keyFile, encryptedResources: ["secrets"] }, { clock: systemClock });
}

const secretKey = ["root", "secrets", "default", "db"];
const secretValue = { body: new TextEncoder().encode("hunter2") };

describe("backup and restore", () => {
  test("[ST20] [ST29] a hub backed up while it runs comes back with its tokens, as another store at a raised revision", async () => {
    using folder = openTempFolder();
    const at = (name: string): string => join(folder.path, name);
    let oldCursor = "";
    let secret = "";
    {
      await using hub = await startHub(at("old"));
      const admin = createClient(TokenService, hub.connect());
      const created = await admin.createToken({ user: "vera", groups: [], description: "before" });
      secret = created.secret;
      backUp(at("old"), at("backup"), true);
      await admin.createToken({ user: "vera", groups: [], description: "after the backup" });
      oldCursor = (await admin.listTokens({})).cursor;
    }
    const { revision } = restoreTo(at("new"), at("backup"));
    await using hub = await startHub(at("new"));
    const admin = createClient(TokenService, hub.connect(readFileSync(join(at("old"), "admin-token"), "utf8").trim()));
    const { tokens, cursor } = await admin.listTokens({});
    expect(tokens.map(({ description }) => description)).toContain("before");
    expect(tokens.map(({ description }) => description)).not.toContain("after the backup");
    expect(Number(cursor.split(".")[1])).toBeGreaterThanOrEqual(revision + restoredRevisionStep);
    expect(cursor.split(".")[0]).not.toBe(oldCursor.split(".")[0]);
    const resumed = admin.watchTokens({ cursor: oldCursor })[Symbol.asyncIterator]().next();
    await expect(resumed).rejects.toMatchObject({ code: "GONE" });
    expect(hub.connect(secret)).toBeDefined();
    // Agents pin the CA: with keys it comes along.
    expect(readFileSync(join(at("new"), "tls", "ca.crt"))).toEqual(readFileSync(join(at("old"), "tls", "ca.crt")));
  });

  test("[ST28] [ST29] a backup without keys holds none, and is refused without the key file rather than half restored", async () => {
    using folder = openTempFolder();
    const at = (name: string): string => join(folder.path, name);
    const { keyFile } = dataPaths(at("old"));
    {
      using _made = { [Symbol.dispose]: () => undefined };
      const { lockDataDirectory } = await import("../../src/store/data-directory.ts");
      lockDataDirectory(at("old"))[Symbol.dispose]();
      const store = await openStore(at("old"));
      await store.commit([put(objects, secretKey, secretValue)]);
      await store.close();
    }
    backUp(at("old"), at("backup"));
    expect(readdirSync(at("backup")).sort()).toEqual(["hub.db", "manifest.json"]);
    expect(() => restoreTo(at("new"), at("backup"))).toThrow("put the key file");
    expect(existsSync(join(at("new"), "hub.db"))).toBe(false);
    writeFileSync(join(at("new"), "keys"), readFileSync(keyFile), { mode: 0o600 });
    restoreTo(at("new"), at("backup"));
    const store = await openStore(at("new"));
    expect((await store.get(objects, secretKey))?.value).toEqual(secretValue);
    await store.close();
  });

  test("a backup never overwrites, and a restore never touches a store that is there", async () => {
    using folder = openTempFolder();
    const at = (name: string): string => join(folder.path, name);
    await using hub = await startHub(at("data"));
    backUp(at("data"), at("backup"));
    expect(() => backUp(at("data"), at("backup"))).toThrow("is there already");
    expect(() => backUp(at("nothing"), at("other"))).toThrow("holds no store");
    expect(existsSync(at("other"))).toBe(false);
    expect(() => restoreTo(at("data"), at("backup"))).toThrow("is in use by another hub");
    await hub.stop();
    expect(() => restoreTo(at("data"), at("backup"))).toThrow("holds a store already");
    expect(statSync(at("backup")).mode & 0o777).toBe(0o700);
  });

  test("[ST29] no file of a backup, or of what is restored from it, can be read by other users, whatever the umask", async () => {
    using folder = openTempFolder();
    const at = (name: string): string => join(folder.path, name);
    const hub = await startHub(at("data"));
    await hub.stop();
    const umask = process.umask(0);
    try {
      backUp(at("data"), at("backup"));
      chmodSync(join(at("backup"), "hub.db"), 0o644); // as older releases wrote it
      restoreTo(at("new"), at("backup"));
    } finally {
      process.umask(umask);
    }
    const modesIn = (name: string): Record<string, number> =>
      Object.fromEntries(
        readdirSync(at(name), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => [entry.name, statSync(join(entry.parentPath, entry.name)).mode & 0o777]),
      );
    const { "hub.db": _loosened, ...others } = modesIn("backup");
    expect(new Set(Object.values(others))).toEqual(new Set([0o600]));
    expect(modesIn("backup")).toHaveProperty(["fleet.db"]);
    expect(modesIn("new")).toMatchObject({ "hub.db": 0o600, "fleet.db": 0o600 });
  });

  test("a damaged or foreign backup is refused by name, and nothing is left behind", async () => {
    using folder = openTempFolder();
    const at = (name: string): string => join(folder.path, name);
    {
      await using hub = await startHub(at("data"));
      expect(hub.record.clusters).toEqual([]);
    }
    backUp(at("data"), at("backup"));
    const bytes = readFileSync(join(at("backup"), "hub.db"));
    bytes.writeUInt8(bytes.readUInt8(5000) ^ 0xff, 5000);
    writeFileSync(join(at("backup"), "hub.db"), bytes);
    expect(() => restoreTo(at("new"), at("backup"))).toThrow("hub.db is not the file that was backed up");
    writeFileSync(join(at("backup"), "manifest.json"), '{"format": 9}');
    expect(() => restoreTo(at("new"), at("backup"))).toThrow("format 9");
    writeFileSync(join(at("backup"), "manifest.json"), "{}");
    expect(() => restoreTo(at("new"), at("backup"))).toThrow("not the manifest of a backup");
    rmSync(join(at("backup"), "manifest.json"));
    expect(() => restoreTo(at("new"), at("backup"))).toThrow("is not a backup");
    expect(existsSync(join(at("new"), "hub.db"))).toBe(false);
  });
});
