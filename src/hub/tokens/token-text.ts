// SPDX-License-Identifier: Apache-2.0
import { createHash, timingSafeEqual } from "node:crypto";
import type { Random } from "../../base/random.ts";

/**
 * A token's text: `flt_`, the 20 letters of the id, the secret. The prefix lets secret scanners and our own logs find a
 * leaked token.
 */
const pattern = /^flt_([0-9a-hjkmnp-tv-z]{20})_([A-Za-z0-9_-]{43})$/;

/** 256 bits: a secret of this entropy needs neither salt nor key stretching. */
const secretBytes = 32;

export interface IssuedToken {
  readonly id: string;
  /** Shown once, stored nowhere. */
  readonly text: string;
  readonly secretHash: Uint8Array;
}

/** Creates a secret for the token with this id (`tok_...`). */
export function issueToken(id: string, random: Random): IssuedToken {
  return toIssuedToken(id, random.bytes(secretBytes));
}

/** The token with this id and these 32 bytes as its secret. */
export function toIssuedToken(id: string, bytes: Uint8Array): IssuedToken {
  const secret = Buffer.from(bytes).toString("base64url");
  return { id, text: `flt_${id.slice("tok_".length)}_${secret}`, secretHash: hashSecret(secret) };
}

/** The parts of a token's text; undefined for anything else. */
export function parseTokenText(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, letters, secret] = pattern.exec(text) ?? [];
  return letters === undefined || secret === undefined ? undefined : { id: `tok_${letters}`, secret };
}

/** Compared with the secret of an unknown token. */
const unknownHash = new Uint8Array(32);

/**
 * Whether the secret has this hash, compared in constant time. Without a hash, because the id is unknown, it takes as
 * long, so that timing does not reveal which ids exist.
 */
export function isSecret(secret: string, hash: Uint8Array | undefined): boolean {
  const own = hashSecret(secret);
  const other = hash ?? unknownHash;
  return own.length === other.length && timingSafeEqual(own, other) && hash !== undefined;
}

/** The SHA-256 of a secret. Only this is stored. */
export function hashSecret(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}
