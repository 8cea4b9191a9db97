// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Token, TokenSchema } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { formatRelative } from "../output/relative-time.ts";

/** Titles of the columns that `toTokenRow` fills. */
export const tokenColumns = ["ID", "USER", "GROUPS", "CREATED", "EXPIRES", "LAST USED", "DESCRIPTION"] as const;

/** A token as JSON: every field, times in RFC 3339, the revision as text because it has 64 bits. */
export function toTokenObject(token: Token): JsonObject {
  return toPlainJson(TokenSchema, token);
}

/** True for a token created by a login of the page; it ends with the token it was derived from. */
export function isLogin({ parentId }: Token): boolean {
  return parentId !== "";
}

/** A token as a table row. The last use counts since the hub started: `-` means none since then. */
export function toTokenRow(token: Token, nowMs: number): string[] {
  const { lastUsedAt, description } = token;
  const lastUsed = lastUsedAt === undefined ? "-" : formatRelative(timestampMs(lastUsedAt), nowMs);
  return [...toRowStart(token, nowMs), lastUsed, description];
}

/** A token as a row of a watch: without its last use, whose changes a watch does not send. */
export function toWatchedTokenRow(token: Token, nowMs: number): string[] {
  return [...toRowStart(token, nowMs), token.description];
}

function toRowStart({ id, user, groups, createdAt, expiresAt }: Token, nowMs: number): string[] {
  const created = createdAt === undefined ? "-" : formatRelative(timestampMs(createdAt), nowMs);
  const expires = expiresAt === undefined ? "never" : formatRelative(timestampMs(expiresAt), nowMs);
  return [id, user, groups.join(",") || "-", created, expires];
}
