// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import type { Revision } from "../../model/revision.ts";
import type { ValueOf } from "../../store/table.ts";
import type { tokens } from "../../store/tables.ts";

/** A stored token, without its text. */
export interface TokenRecord {
  readonly id: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly description: string;
  readonly createdAtMs: number;
  /** Undefined: it does not expire. */
  readonly expiresAtMs: number | undefined;
  readonly secretHash: Uint8Array;
  /**
   * The token from which this one was derived and with which it ends. Undefined: not derived. A parent has no parent.
   */
  readonly parentId: string | undefined;
  readonly revision: Revision;
}

export function toTokenRecord(id: string, revision: Revision, value: ValueOf<typeof tokens>): TokenRecord {
  return {
    id,
    user: value.user_name,
    groups: parseGroups(value.group_names),
    description: value.description,
    createdAtMs: value.created_at_ms,
    expiresAtMs: value.expires_at_ms ?? undefined,
    secretHash: value.secret_hash,
    parentId: value.parent_id ?? undefined,
    revision,
  };
}

export function toTokenValue(record: Omit<TokenRecord, "id" | "revision">): ValueOf<typeof tokens> {
  return {
    secret_hash: record.secretHash,
    user_name: record.user,
    group_names: JSON.stringify(record.groups),
    description: record.description,
    created_at_ms: record.createdAtMs,
    expires_at_ms: record.expiresAtMs ?? null,
    parent_id: record.parentId ?? null,
  };
}

function parseGroups(text: string): readonly string[] {
  const groups: unknown = JSON.parse(text);
  assert(
    Array.isArray(groups) && groups.every((group) => typeof group === "string"),
    "group_names must be a JSON list of strings",
  );
  return groups;
}

/** The lifetime of a token to be created. */
export interface TokenLife {
  /** From its creation. Undefined: no expiry of its own. */
  readonly ttlMs: number | undefined;
  /** Wall time at which the creating token ends; the new token ends no later (RP56). Undefined: no such limit. */
  readonly makerEndsAtMs?: number | undefined;
}

/** Wall time at which a token created at `createdAtMs` expires; undefined: never. */
export function expiryOf({ ttlMs, makerEndsAtMs }: TokenLife, createdAtMs: number): number | undefined {
  const ends = [
    ...(ttlMs === undefined ? [] : [createdAtMs + ttlMs]),
    ...(makerEndsAtMs === undefined ? [] : [makerEndsAtMs]),
  ];
  return ends.length === 0 ? undefined : Math.min(...ends);
}
