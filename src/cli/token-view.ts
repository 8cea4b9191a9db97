// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Token, TokenSchema } from "../gen/flotilla/admin/v1/admin_pb.ts";
import { toPlainJson } from "./plain-json.ts";
import { formatRelative } from "./relative-time.ts";

/** Titles of the columns that `toTokenRow` fills. */
export const tokenColumns = ["ID", "USER", "GROUPS", "CREATED", "EXPIRES", "DESCRIPTION"] as const;

/** A token as programs get it: every field, times in RFC 3339, the revision as text since it has 64 bits. */
export function toTokenObject(token: Token): JsonObject {
  return toPlainJson(TokenSchema, token);
}

/** A token as people get it. */
export function toTokenRow(token: Token, nowMs: number): string[] {
  const { id, user, groups, createdAt, expiresAt, description } = token;
  const created = createdAt === undefined ? "-" : formatRelative(timestampMs(createdAt), nowMs);
  const expires = expiresAt === undefined ? "never" : formatRelative(timestampMs(expiresAt), nowMs);
  return [id, user, groups.join(",") || "-", created, expires, description];
}
