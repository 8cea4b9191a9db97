// SPDX-License-Identifier: Apache-2.0
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openScratch } from "../../../test/support/store-under-test.ts";
import { createSeededRandom } from "../../base/random.ts";
import { addKey, openKeyFile } from "./key-file.ts";

const random = createSeededRandom("key-file");

describe("the key file", () => {
  test("[ST27] it is made with one key and mode 600, and read back the same", () => {
    using scratch = openScratch();
    const keys = openKeyFile(scratch.path("keys"), random);
    expect(statSync(scratch.path("keys")).mode & 0o777).toBe(0o600);
    expect(keys.byId.get(keys.primary)).toHaveLength(32);
    expect(openKeyFile(scratch.path("keys"), random)).toEqual(keys);
    expect(readdirSync(scratch.folder)).toEqual(["keys"]);
  });

  test.each([0o640, 0o604, 0o660, 0o610, 0o601])(
    "[ST27] a file of mode %o is refused, whatever is asked of it",
    (mode) => {
      using scratch = openScratch();
      const file = scratch.path("keys");
      openKeyFile(file, random);
      const before = readFileSync(file, "utf8");
      chmodSync(file, mode);
      const refusal = expect.objectContaining({ code: "STORE_FOREIGN", message: expect.stringContaining("600") });
      expect(() => openKeyFile(file, random)).toThrow(refusal);
      expect(() => addKey(file, random)).toThrow(refusal);
      expect(readFileSync(file, "utf8")).toBe(before);
    },
  );

  test("[ST28] a new key comes first and the older ones stay, in a file of mode 600", () => {
    using scratch = openScratch();
    const file = scratch.path("keys");
    const first = openKeyFile(file, random);
    const second = addKey(file, random);
    expect(second.primary).not.toBe(first.primary);
    expect([...second.byId.keys()]).toEqual([second.primary, first.primary]);
    expect(second.byId.get(first.primary)).toEqual(first.byId.get(first.primary));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("[ST28] what a crash left half-written is neither taken over nor lends its mode", () => {
    using scratch = openScratch();
    const file = scratch.path("keys");
    writeFileSync(`${file}.partial`, "half a li", { mode: 0o644 });
    const keys = openKeyFile(file, random);
    expect(keys.byId.size).toBe(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["empty", "", "holds no key"],
    ["no key beside the id", "key_1\n", "damaged at line 1"],
    ["a key that is too short", "key_1 AAAA\n", "damaged at line 1"],
    ["a text", "dear hub,\n", "damaged at line 1"],
  ])("[ST27] a file that is %s is refused with what is wrong", (_what, text, sentence) => {
    using scratch = openScratch();
    writeFileSync(scratch.path("keys"), text, { mode: 0o600 });
    expect(() => openKeyFile(scratch.path("keys"), random)).toThrow(
      expect.objectContaining({ code: "STORE_FOREIGN", message: expect.stringContaining(sentence) }),
    );
  });

  test("[ST27] a folder in its place, or a missing parent folder, is refused with one sentence", () => {
    using scratch = openScratch();
    mkdirSync(scratch.path("keys"), { mode: 0o700 });
    const unavailable = expect.objectContaining({ code: "UNAVAILABLE", message: expect.stringContaining("key file") });
    expect(() => openKeyFile(scratch.path("keys"), random)).toThrow(unavailable);
    expect(() => openKeyFile(scratch.path("nowhere/keys"), random)).toThrow(unavailable);
  });
});
