// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { systemRandom } from "../../src/base/system-random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { recordIo } from "../../src/cli/testing/recorded-io.ts";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { readFileNow } from "../../src/main/config/read-file.ts";
import { runFlotilla } from "../../src/main/run-flotilla.ts";
import { verbs } from "../../src/main/verbs/verbs.ts";
import { restoredRevisionStep } from "../../src/store/backup/adopt-restored.ts";
import { backupDataDirectory, restoreDataDirectory } from "../../src/store/backup/backup-folder.ts";
import { dataPaths } from "../../src/store/data-directory.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
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
      await backUp(at("old"), at("backup"), true);
      await admin.createToken({ user: "vera", groups: [], description: "after the backup" });
      oldCursor = (await admin.listTokens({})).cursor;
    }
    const { revision } = await restoreTo(at("new"), at("backup"));
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
    await backUp(at("old"), at("backup"));
    expect(readdirSync(at("backup")).sort()).toEqual(["hub.db", "manifest.json"]);
    await expect(restoreTo(at("new"), at("backup"))).rejects.toThrow("put the key file");
    expect(existsSync(join(at("new"), "hub.db"))).toBe(false);
    writeFileSync(join(at("new"), "keys"), readFileSync(keyFile), { mode: 0o600 });
    await restoreTo(at("new"), at("backup"));
    const store = await openStore(at("new"));
    expect((await store.get(objects, secretKey))?.value).toEqual(secretValue);
    await store.close();
  });

  test("a backup never overwrites, and a restore never touches a store that is there", async () => {
    using folder = openTempFolder();
    const at = (name: string): string => join(folder.path, name);
    await using hub = await startHub(at("data"));
    await backUp(at("data"), at("backup"));
    await expect(backUp(at("data"), at("backup"))).rejects.toThrow("already exists");
    await expect(backUp(at("nothing"), at("other"))).rejects.toThrow("holds no store");
    expect(existsSync(at("other"))).toBe(false);
    await expect(restoreTo(at("data"), at("backup"))).rejects.toThrow("is in use by another hub");
    await hub.stop();
    await expect(restoreTo(at("data"), at("backup"))).rejects.toThrow("already holds a store");
    expect(statSync(at("backup")).mode & 0o777).toBe(0o700);
  });

  test("[ST29] no file of a backup, or of what is restored from it, can be read by other users, whatever the umask", async () => {
    using folder = openTempFolder();
    const at = (name: string): string => join(folder.path, name);
    const hub = await startHub(at("data"));
    await hub.stop();
    const umask = process.umask(0);
    try {
      await backUp(at("data"), at("backup"));
      chmodSync(join(at("backup"), "hub.db"), 0o644); // as older releases wrote it
      await restoreTo(at("new"), at("backup"));
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
    await backUp(at("data"), at("backup"));
    const bytes = readFileSync(join(at("backup"), "hub.db"));
    bytes.writeUInt8(bytes.readUInt8(5000) ^ 0xff, 5000);
    writeFileSync(join(at("backup"), "hub.db"), bytes);
    await expect(restoreTo(at("new"), at("backup"))).rejects.toThrow("hub.db is not the file that was backed up");
    writeFileSync(join(at("backup"), "manifest.json"), '{"format": 9}');
    await expect(restoreTo(at("new"), at("backup"))).rejects.toThrow("format 9");
    writeFileSync(join(at("backup"), "manifest.json"), "{}");
    await expect(restoreTo(at("new"), at("backup"))).rejects.toThrow("not the manifest of a backup");
    rmSync(join(at("backup"), "manifest.json"));
    await expect(restoreTo(at("new"), at("backup"))).rejects.toThrow("is not a backup");
    expect(existsSync(join(at("new"), "hub.db"))).toBe(false);
  });

  test("[CL20] on a terminal backup and restore show their steps; stopped at any of them they leave nothing behind and end with 130", async () => {
    using folder = openTempFolder();
    const at = (name: string): string => join(folder.path, name);
    const hub = await startHub(at("data"));
    await hub.stop();
    const backup = ["backup", "--data-dir", at("data"), "--to", at("backup")];
    for (const step of ["copying hub.db", "checking hub.db", "copying fleet.db", "hashing hub.db"]) {
      expect([step, await runOnTerminal(backup, step)]).toMatchObject([step, { code: 130, stdout: "" }]);
      expect(readdirSync(folder.path)).toEqual(["data"]);
    }
    const whole = await runOnTerminal(backup);
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining("Backed up store") });
    expect(whole.stderr).toContain("\r\u001b[Kbackup: hashing fleet.db\r\u001b[K");
    const restore = ["restore", "--from", at("backup"), "--data-dir", at("new")];
    for (const step of ["checking fleet.db", "copying fleet.db", "copying hub.db"]) {
      expect([step, await runOnTerminal(restore, step)]).toMatchObject([step, { code: 130, stdout: "" }]);
      const left = existsSync(at("new")) ? readdirSync(at("new")) : [];
      expect(left.filter((name) => name.includes(".db"))).toEqual([]);
    }
    expect(await runOnTerminal(restore)).toMatchObject({ code: 0, stdout: expect.stringContaining("Restored") });
  });
});

/** Runs a command as on a terminal; with a step it is stopped as soon as its line shows that step. */
async function runOnTerminal(argv: readonly string[], stopAt?: string) {
  const stop = new AbortController();
  const { io, stdout, stderr } = recordIo({});
  const terminal = {
    isTerminal: true,
    write: (text: string) => {
      io.stderr.write(text);
      if (stopAt !== undefined && text.includes(stopAt)) stop.abort(new Error("SIGINT"));
    },
  };
  const code = await runFlotilla(argv, verbs, {
    io: { ...io, stderr: terminal },
    signal: stop.signal,
    readFile: readFileNow,
    openTransport: () => Promise.reject(new Error("no hub is called")),
    version: { version: "test", runtime: "test" },
  });
  return { code, stdout: stdout(), stderr: stderr() };
}
