// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Revision } from "../../model/revision.ts";
import { quote } from "../../model/text.ts";
import type { ValueOf } from "../../store/table.ts";
import type { joinTokens } from "../../store/tables.ts";

/** A stored join token, without its text. */
export interface JoinTokenRecord {
  readonly id: string;
  readonly secretHash: Uint8Array;
  readonly usesLeft: number;
  /** The cluster ids that the token covers: characters of an id, with `*` for any number of them. */
  readonly namePattern: string;
  /** The cluster whose key the token replaces (SE8). Undefined for a token that registers a cluster. */
  readonly rotated: string | undefined;
  readonly needsApproval: boolean;
  readonly description: string;
  readonly createdAtMs: number;
  /** Undefined: never expires. */
  readonly expiresAtMs: number | undefined;
  readonly revision: Revision;
}

export type JoinTokenValue = ValueOf<typeof joinTokens>;

export function toJoinToken(id: string, revision: Revision, value: JoinTokenValue): JoinTokenRecord {
  return {
    id,
    secretHash: value.secret_hash,
    usesLeft: value.uses_left,
    namePattern: value.name_pattern,
    rotated: value.rotated === "" ? undefined : value.rotated,
    needsApproval: value.needs_approval === 1,
    description: value.description,
    createdAtMs: value.created_at_ms,
    expiresAtMs: value.expires_at_ms ?? undefined,
    revision,
  };
}

export function toJoinTokenValue(record: Omit<JoinTokenRecord, "id" | "revision">): JoinTokenValue {
  return {
    secret_hash: record.secretHash,
    uses_left: record.usesLeft,
    name_pattern: record.namePattern,
    rotated: record.rotated ?? "",
    needs_approval: record.needsApproval ? 1 : 0,
    description: record.description,
    created_at_ms: record.createdAtMs,
    expires_at_ms: record.expiresAtMs ?? null,
  };
}

/** The longest pattern. A cluster id has at most 63 characters. */
const maxPatternLength = 64;

/** Checks that a pattern consists of lower-case letters, digits, "-" and "*". Throws INVALID_ARGUMENT. */
export function checkNamePattern(pattern: string): string {
  if (pattern.length <= maxPatternLength && /^[-a-z0-9*]+$/.test(pattern)) return pattern;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `name pattern ${quote(pattern.slice(0, maxPatternLength))} is not made of lower-case letters, digits, "-" and "*", such as "prod-*"`,
  );
}
