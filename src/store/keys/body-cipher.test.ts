// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { importedKubeconfigs, standingQueryPlace } from "../tables.ts";
import { BodyCipher, type BodyKeys } from "./body-cipher.ts";

const random = createSeededRandom("body-cipher");
const keys: BodyKeys = {
  primary: "key_new",
  byId: new Map([
    ["key_new", random.bytes(32)],
    ["key_old", random.bytes(32)],
  ]),
};
const secretKey = ["root", "secrets", "default", "db"].join("\u001f");
const body = new TextEncoder().encode("a password");

function createCipher(options: { readonly keys?: BodyKeys } = { keys }): BodyCipher {
  return new BodyCipher({ ...options, random, resources: ["secrets"] });
}

describe("sealed bodies", () => {
  test("[ST27] only bodies of the configured resources are sealed, and they open to what they were", () => {
    const cipher = createCipher();
    const sealed = cipher.seal("objects", secretKey, body);
    expect(sealed.keyId).toBe("key_new");
    expect(Buffer.from(sealed.body).includes("a password")).toBe(false);
    expect(new Uint8Array(cipher.open("objects", secretKey, sealed))).toEqual(body);
    const plainKey = ["root", "configmaps", "secrets", "secrets"].join("\u001f");
    expect(cipher.seal("objects", plainKey, body)).toEqual({ keyId: null, body });
    expect(cipher.seal("tokens", secretKey, body)).toEqual({ keyId: null, body });
  });

  test("[L18] kubeconfigs of imported clusters are encrypted under any configuration", () => {
    const cipher = new BodyCipher({ keys, random, resources: [] });
    const key = [importedKubeconfigs.workspace, importedKubeconfigs.resource, "", "east"].join("\u001f");
    expect(cipher.seal("objects", key, body).keyId).toBe("key_new");
    expect(cipher.seal("objects", secretKey, body).keyId).toBeNull();
  });

  test("[L18] [SQ7] standing queries are encrypted under any configuration", () => {
    const cipher = new BodyCipher({ keys, random, resources: [] });
    const key = [standingQueryPlace.workspace, standingQueryPlace.resource, "", "broken"].join("\u001f");
    const sealed = cipher.seal("objects", key, body);
    expect(sealed.keyId).toBe("key_new");
    expect(Buffer.from(sealed.body).includes("a password")).toBe(false);
  });

  test("[ST27] equal bodies are sealed differently each time", () => {
    const cipher = createCipher();
    const once = cipher.seal("objects", secretKey, body);
    expect(cipher.seal("objects", secretKey, body).body).not.toEqual(once.body);
  });

  test("[ST27] a sealed body opens neither in another row, nor in another table, nor under another key", () => {
    const cipher = createCipher();
    const sealed = cipher.seal("objects", secretKey, body);
    const corrupt = expect.objectContaining({ code: "STORE_CORRUPT" });
    expect(() => cipher.open("objects", secretKey.replace("db", "dc"), sealed)).toThrow(corrupt);
    expect(() => cipher.open("tokens", secretKey, sealed)).toThrow(corrupt);
    expect(() => cipher.open("objects", secretKey, { ...sealed, keyId: "key_old" })).toThrow(corrupt);
  });

  test("[ST27] a damaged or shortened body is STORE_CORRUPT at any length", () => {
    const cipher = createCipher();
    const { keyId, body: sealed } = cipher.seal("objects", secretKey, body);
    for (let length = 0; length < sealed.length; length += 1) {
      const shortened = { keyId, body: sealed.subarray(0, length) };
      expect(() => cipher.open("objects", secretKey, shortened)).toThrow(
        expect.objectContaining({ code: "STORE_CORRUPT" }),
      );
    }
    for (let index = 0; index < sealed.length; index += 1) {
      const flipped = { keyId, body: sealed.map((byte, at) => (at === index ? byte ^ 1 : byte)) };
      expect(() => cipher.open("objects", secretKey, flipped)).toThrow(
        expect.objectContaining({ code: "STORE_CORRUPT" }),
      );
    }
  });

  test("[ST28] a body whose key is missing is STORE_KEY_MISSING and names the key", () => {
    const sealed = createCipher().seal("objects", secretKey, body);
    const missing = expect.objectContaining({ code: "STORE_KEY_MISSING", message: expect.stringContaining("key_new") });
    expect(() => createCipher({}).open("objects", secretKey, sealed)).toThrow(missing);
  });
});
