// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { createAgentKey, ed25519Verifier, parseAgentKey } from "./ed25519.ts";

const bytes = new TextEncoder().encode("what is signed");

test("[SE6] a signature holds for its key and its bytes, and for no others", async () => {
  const [key, other] = [createAgentKey(), createAgentKey()];
  const signature = await key.sign(bytes);
  expect(key.publicKey).toHaveLength(32);
  expect(await ed25519Verifier.verify(key.publicKey, bytes, signature)).toBe(true);
  expect(await ed25519Verifier.verify(other.publicKey, bytes, signature)).toBe(false);
  expect(await ed25519Verifier.verify(key.publicKey, bytes.subarray(1), signature)).toBe(false);
});

test("[SE6] keys and signatures of a wrong length are false, not a failure", async () => {
  const key = createAgentKey();
  const signature = await key.sign(bytes);
  expect(await ed25519Verifier.verify(key.publicKey.subarray(1), bytes, signature)).toBe(false);
  expect(await ed25519Verifier.verify(key.publicKey, bytes, signature.subarray(1))).toBe(false);
  expect(await ed25519Verifier.verify(new Uint8Array(32), bytes, new Uint8Array(64))).toBe(false);
});

test("a key comes back from its PEM as the same key", async () => {
  const key = createAgentKey();
  const back = parseAgentKey(key.toPem());
  expect(back.publicKey).toEqual(key.publicKey);
  expect(await ed25519Verifier.verify(key.publicKey, bytes, await back.sign(bytes))).toBe(true);
});

test("other texts and other kinds of keys are refused, and nothing of them is shown", () => {
  expect(() => parseAgentKey("hunter2")).toThrow("not a private key in PEM form");
  const rsa = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });
  expect(() => parseAgentKey(rsa)).toThrow("the agent's key is ec, not Ed25519");
});
