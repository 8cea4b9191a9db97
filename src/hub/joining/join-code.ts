// SPDX-License-Identifier: Apache-2.0
// The code of a join URL: its text, its join token, and its row.
import { createHmac } from "node:crypto";
import type { Random } from "../../base/random.ts";
import type { ValueOf } from "../../store/table.ts";
import type { joinCodes } from "../../store/tables.ts";
import { hashSecret, type IssuedToken, toIssuedToken } from "../tokens/token-text.ts";

/** Shares the prefix of tokens, so that the log masks a code and secret scanners find it. It is not itself a token. */
const pattern = /^flt_join_([0-9a-hjkmnp-tv-z]{20})_([A-Za-z0-9_-]{22})$/;

/** 128 bits: too many to guess in ten minutes, and short enough for one terminal line. */
const secretBytes = 16;

/** 10 minutes: time to copy the command to another terminal. */
export const codeLifeMs = 600_000;

/**
 * An hour from the code's creation, so that an agent can still join after a slow image pull or trouble reaching the
 * hub.
 */
export const codeTokenLifeMs = 3_600_000;

/** A new code. */
export interface IssuedCode {
  /** The id of the join token, `tok_...`. */
  readonly id: string;
  /** Shown once, stored nowhere. */
  readonly text: string;
  readonly secretHash: Uint8Array;
  readonly token: IssuedToken;
}

/** A new code for the join token with this id. */
export function issueCode(id: string, random: Random): IssuedCode {
  const secret = Buffer.from(random.bytes(secretBytes)).toString("base64url");
  const text = `flt_join_${id.slice("tok_".length)}_${secret}`;
  return { id, text, secretHash: hashSecret(secret), token: tokenOfCode(id, secret) };
}

/** The parts of a code's text; undefined for anything else. */
export function parseCode(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, letters, secret] = pattern.exec(text) ?? [];
  return letters === undefined || secret === undefined ? undefined : { id: `tok_${letters}`, secret };
}

/**
 * Derives the join token of a code. The hub stores neither text and can still write the token into the manifest. The
 * code cannot be computed from the token.
 */
export function tokenOfCode(id: string, secret: string): IssuedToken {
  return toIssuedToken(id, createHmac("sha256", secret).update("flotilla join token").digest());
}

/** A stored code, without its text. */
export interface JoinCodeRecord {
  readonly id: string;
  readonly secretHash: Uint8Array;
  readonly cluster: string;
  readonly region: string;
  readonly environment: string;
  readonly objectReads: boolean;
  readonly createdAtMs: number;
  /** From this time on the manifest can no longer be fetched. */
  readonly expiresAtMs: number;
  readonly fetchCount: number;
  /** The latest fetch. */
  readonly fetched: { readonly atMs: number; readonly from: string } | undefined;
}

export function toJoinCode(id: string, value: ValueOf<typeof joinCodes>): JoinCodeRecord {
  const { fetched_at_ms: atMs } = value;
  return {
    id,
    secretHash: value.secret_hash,
    cluster: value.cluster,
    region: value.region,
    environment: value.environment,
    objectReads: value.object_reads === 1,
    createdAtMs: value.created_at_ms,
    expiresAtMs: value.expires_at_ms,
    fetchCount: value.fetch_count,
    fetched: atMs === null ? undefined : { atMs, from: value.fetched_from },
  };
}

export function toJoinCodeValue(record: Omit<JoinCodeRecord, "id">): ValueOf<typeof joinCodes> {
  return {
    secret_hash: record.secretHash,
    cluster: record.cluster,
    region: record.region,
    environment: record.environment,
    object_reads: record.objectReads ? 1 : 0,
    created_at_ms: record.createdAtMs,
    expires_at_ms: record.expiresAtMs,
    fetch_count: record.fetchCount,
    fetched_at_ms: record.fetched?.atMs ?? null,
    fetched_from: record.fetched?.from ?? "",
  };
}
