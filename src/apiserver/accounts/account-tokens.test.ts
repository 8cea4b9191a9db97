// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import type { JsonObject } from "../json/json.ts";
import type { ObjectReader } from "../resources/object-reader.ts";
import { AccountTokens } from "./account-tokens.ts";
import { createSigningKey, parseJwt, signJwt } from "./jwt.ts";

const audiences = ["https://issuer.invalid"];
const account = { name: "robot", uid: "u1" };
const wish = { namespace: "default", account, audiences, expirationSeconds: 600, binding: {} };

function open() {
  const clock = new ManualClock();
  const objects: ObjectReader = {
    get: (resource): JsonObject | undefined =>
      resource === "serviceaccounts" ? { metadata: { name: "robot", namespace: "default", uid: "u1" } } : undefined,
    list: () => [],
  };
  const key = createSigningKey(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
  const random = createSeededRandom("tokens");
  const tokens = new AccountTokens({ key, issuer: "https://issuer.invalid", objects, clock, random });
  return { tokens, clock, key };
}

test("[AP19] a token is accepted until a minute after its end, the real server's leeway", async () => {
  const { tokens, clock } = open();
  const token = tokens.issue(wish);
  await clock.advance(659_000);
  expect(tokens.verify(token, audiences)).toMatchObject({
    subject: { user: "system:serviceaccount:default:robot", uid: "u1" },
    audiences,
  });
  await clock.advance(2_000);
  expect(tokens.verify(token, audiences)).toEqual({ error: "service account token has expired" });
});

test("[AP19] a token whose claims were changed, or that another key signed, is refused", () => {
  const { tokens, key } = open();
  const [head = "", , signature = ""] = tokens.issue(wish).split(".");
  const claims = parseJwt(tokens.issue(wish))?.claims ?? {};
  const raised = Buffer.from(JSON.stringify({ ...claims, sub: "system:serviceaccount:kube-system:admin" }));
  const refused = { error: "go-jose/go-jose: error in cryptographic primitive" };
  expect(tokens.verify(`${head}.${raised.toString("base64url")}.${signature}`, audiences)).toEqual(refused);
  const other = createSigningKey(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
  expect(tokens.verify(signJwt(other, claims), audiences)).toEqual({ error: "invalid signature, no keys found" });
  expect(tokens.verify(signJwt({ ...other, id: key.id }, claims), audiences)).toEqual(refused);
});

test("[AP19] a token cannot choose its algorithm: one without a signature is refused", () => {
  const { tokens } = open();
  const [, claims = ""] = tokens.issue(wish).split(".");
  const head = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
  expect(tokens.verify(`${head}.${claims}.`, audiences)).toHaveProperty("error");
});

test.each(["", "a", "a.b", "a.b.c", "{}", "e30.e30.", "e30.W10.e30", "e30.e30.e30.e30"])(
  "[AP15] %j is no token of an account, and no failure",
  (text) => {
    expect(open().tokens.verify(text, audiences)).toBeUndefined();
  },
);
