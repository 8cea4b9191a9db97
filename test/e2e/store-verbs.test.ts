// SPDX-License-Identifier: Apache-2.0
// `flotilla backup`, `restore` and `keys rotate` as somebody runs them beside a hub.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { SystemService, TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { dataPaths } from "../../src/store/data-directory.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { put } from "../../src/store/store.ts";
import { objects } from "../../src/store/tables.ts";
import { startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { flotilla } from "./fleet/background-program.ts";

test("[ST20] [ST29] a running hub is backed up by one command, and brought back elsewhere by another", async () => {
  using folder = openTempFolder();
  {
    await using hub = await startHub(join(folder.path, "old"));
    await createClient(TokenService, hub.connect()).createToken({ user: "vera", groups: [], description: "kept" });
    const { revision } = await createClient(SystemService, hub.connect()).getVersion({});
    const made = await flotilla(folder.path, ["backup", "--data-dir", "old", "--to", "copy", "-o", "json"]);
    expect(made.code).toBe(0);
    expect(JSON.parse(made.stdout)).toMatchObject({ folder: join(folder.path, "copy"), revision: Number(revision) });
    expect(made.stderr).toMatch(/^flotilla: this backup is not complete: [^\n]*\n$/);
    const again = await flotilla(folder.path, ["backup", "--data-dir", "old", "--to", "copy"]);
    expect([again.code, again.stderr]).toEqual([6, expect.stringContaining("copy already exists")]);
  }
  const restored = await flotilla(folder.path, ["restore", "--from", "copy", "--data-dir", "new"]);
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining("copy tls/ca.crt and tls/ca.key")]);
  await using hub = await startHub(join(folder.path, "new"));
  const { tokens } = await createClient(TokenService, hub.connect()).listTokens({});
  expect(tokens.map(({ description }) => description)).toContain("kept");
});

test("[ST28] rotating keys is refused while a hub runs, and afterwards brings every body under the new key", async () => {
  using folder = openTempFolder();
  const dataDir = join(folder.path, "data");
  const { hubDb, keyFile } = dataPaths(dataDir);
  {
    await using hub = await startHub(dataDir);
    const refused = await flotilla(folder.path, ["keys", "rotate", "--data-dir", "data"]);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("in use by another hub")]);
    expect(hub.record.pid).toBe(1);
  }
  const open = (encryptedResources = ["secrets"]) =>
    openHubStore({ file: hubDb, keyFile, encryptedResources }, { clock: systemClock });
  const key = ["root", "secrets", "default", "db"];
  const value = { body: new TextEncoder().encode("hunter2") };
  // Written before anybody asked for encryption.
  const before = await open([]);
  await before.commit([put(objects, key, value)]);
  await before.close();
  expect(readFileSync(hubDb, "latin1")).toContain("hunter2");
  const [oldLine = ""] = readFileSync(keyFile, "utf8").split("\n");
  const rotated = await flotilla(folder.path, ["keys", "rotate", "--data-dir", "data", "-o", "json"]);
  expect(rotated.code).toBe(0);
  expect(JSON.parse(rotated.stdout)).toMatchObject({ bodyCount: 1 });
  expect(readFileSync(keyFile, "utf8").split("\n")[1]).toBe(oldLine);
  expect(readFileSync(hubDb, "latin1")).not.toContain("hunter2");
  const after = await open();
  expect((await after.get(objects, key))?.value).toEqual(value);
  await after.close();
  expect(existsSync(`${hubDb}-wal`)).toBe(false);
});
