// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from "node:crypto";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTempFolder } from "../../test/support/temp-folder.ts";
import { openAccountKey } from "./service-account-key.ts";

test("[AP19] the key of service account tokens is made once, for its owner's eyes only", async () => {
  using folder = openTempFolder();
  const file = join(folder.path, "service-account.key");
  const made = await openAccountKey(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await openAccountKey(file)).equals(made)).toBe(true);
});

test("[AP19] a key of another sort is refused with a sentence, not replaced", async () => {
  using folder = openTempFolder();
  const file = join(folder.path, "service-account.key");
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  await expect(openAccountKey(file)).rejects.toThrow(/does not hold a P-256 key; remove it to create a new key/);
});
