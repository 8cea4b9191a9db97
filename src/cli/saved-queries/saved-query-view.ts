// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { FlotillaError } from "../../base/error.ts";
import { type SavedQuery, SavedQuerySchema } from "../../gen/flotilla/query/v1/saved_query_pb.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { formatRelative } from "../output/relative-time.ts";

/** Titles of the columns that `toSavedRow` fills. */
export const savedColumns = ["NAME", "OWNER", "VISIBILITY", "UPDATED", "QUERY", "DESCRIPTION"] as const;

/** A saved query as a table row. */
export function toSavedRow({ name, owner, isPrivate, updatedAt, content }: SavedQuery, nowMs: number): string[] {
  const updated = updatedAt === undefined ? "-" : formatRelative(timestampMs(updatedAt), nowMs);
  const { query = "", description = "" } = content ?? {};
  return [name, owner, isPrivate ? "private" : "shared", updated, query || "-", description];
}

/** A saved query as JSON: every field. */
export function toSavedObject(query: SavedQuery): JsonObject {
  return toPlainJson(SavedQuerySchema, query);
}

/** The query of an answer, which always has one. */
export function requireAnswer<Query>(query: Query | undefined): Query {
  if (query === undefined) throw new FlotillaError("MALFORMED", "the hub answered without the query");
  return query;
}
