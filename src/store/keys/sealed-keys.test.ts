// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { openKeys, parsePassphrase, sealKeys } from "./sealed-keys.ts";

const files = new Map([
  ["keys", new TextEncoder().encode("key one")],
  ["tls/ca.key", new Uint8Array([0, 1, 255])],
]);
const passphrase = "correct horse battery";
/** A cost that takes no time: what is tried here does not depend on it. */
const sealed = sealKeys(files, passphrase, createSeededRandom("seal"), { N: 2 ** 8, r: 8, p: 1 });

test("[ST31] sealed keys come back with the passphrase, byte for byte, and are not in the file as they were", () => {
  expect(openKeys(sealed, passphrase)).toEqual(files);
  expect(sealed).not.toContain(new TextEncoder().encode("key one").toBase64());
});

test("[ST31] another passphrase, a changed byte and a foreign file are refused", () => {
  expect(() => openKeys(sealed, "correct horse battera")).toThrow(/the passphrase does not decrypt keys\.sealed/);
  const file = JSON.parse(sealed) as Record<string, unknown>;
  expect(() => openKeys(JSON.stringify({ ...file, sealed: "AAAA" }), passphrase)).toThrow(/does not decrypt/);
  expect(() => openKeys(JSON.stringify({ ...file, N: 2 ** 30 }), passphrase)).toThrow(/not a file of sealed keys/);
  expect(() => openKeys("{}", passphrase)).toThrow(/not a file of sealed keys/);
});

test("[ST31] the passphrase is the first line of its file, and a short one is refused", () => {
  expect(parsePassphrase(`${passphrase}\nrest`, "f")).toBe(passphrase);
  expect(() => parsePassphrase("short\n", "f")).toThrow(/fewer than 12 characters/);
});
