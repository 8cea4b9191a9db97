// SPDX-License-Identifier: Apache-2.0
// JSON Web Tokens in compact form, signed with ES256, as a Kubernetes API server with an EC key issues them.

import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { isObject, type JsonObject } from "../json/json.ts";
import { textAt } from "../json/json-fields.ts";
import { JsonTextError } from "../json/json-text-error.ts";
import { parseJsonText } from "../json/parse-json.ts";
import { stringifyJson } from "../json/stringify-json.ts";

const algorithm = "ES256";

/** The encoding of an ECDSA signature in a JWT: two numbers of 32 bytes each. */
const dsaEncoding = "ieee-p1363";

/** A P-256 key that signs tokens. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The hash of the public key, as kube-apiserver computes it. It is the `kid` of tokens. */
  readonly id: string;
}

export function createSigningKey(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: "spki", format: "der" });
  return { privateKey, publicKey, id: createHash("sha256").update(der).digest("base64url") };
}

/** Signs a token with these claims. */
export function signJwt({ privateKey, id }: SigningKey, claims: JsonObject): string {
  const signed = `${encode({ alg: algorithm, kid: id })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding });
  return `${signed}.${signature.toString("base64url")}`;
}

/** A parsed token. Nothing in it is verified. */
export interface UnverifiedJwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** The signed text. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** Parses a token; undefined for a text that is not a JWT. */
export function parseJwt(token: string): UnverifiedJwt | undefined {
  const [first, second, third, ...more] = token.split(".");
  if (first === undefined || second === undefined || third === undefined || more.length > 0) return undefined;
  const header = decode(first);
  const claims = decode(second);
  if (header === undefined || claims === undefined) return undefined;
  return { header, claims, signed: `${first}.${second}`, signature: Buffer.from(third, "base64url") };
}

/** Whether the signature was made by this key. The token's header cannot select another algorithm. */
export function isSignedBy({ publicKey }: SigningKey, { header, signed, signature }: UnverifiedJwt): boolean {
  if (textAt(header, "alg") !== algorithm) return false;
  return verify("sha256", Buffer.from(signed), { key: publicKey, dsaEncoding }, signature);
}

function encode(value: JsonObject): string {
  return Buffer.from(stringifyJson(value)).toString("base64url");
}

function decode(part: string): JsonObject | undefined {
  try {
    const { value } = parseJsonText(Buffer.from(part, "base64url").toString("utf8"), { findDuplicates: false });
    return isObject(value) ? value : undefined;
  } catch (reason) {
    if (reason instanceof JsonTextError) return undefined;
    throw reason;
  }
}
