// SPDX-License-Identifier: Apache-2.0
// Resource versions of the fleet API: one opaque text for all clusters (FA10).
import { createHash } from "node:crypto";
import type { Row } from "../../model/rows/row.ts";
import { quote } from "../../model/text.ts";
import type { FeedCursor } from "../rows/fleet-reader.ts";
import { expired } from "./fleet-api-errors.ts";

/**
 * A position in the changes of all clusters, and what the user could see there. A watch continues from it only while
 * the user sees the same objects: rows that become visible or hidden without a change of their own are in no change.
 */
export interface FleetVersion extends FeedCursor {
  /** A hash of the user's access keys. */
  readonly access: string;
}

/** Longest text: an id, a number of 15 digits, a hash, and the hash of a row. */
const maxVersionLength = 128;

const versionForm = /^(\w{1,40})\.(\d{1,15})\.([\w-]{1,16})(?:\.[0-9a-z]{1,13})?$/;

export function formatVersion({ feedId, position, access }: FleetVersion): string {
  return `${feedId}.${position}.${access}`;
}

/**
 * The version of one object, undefined for one that is gone. It begins with a position that a watch may continue from,
 * and differs if the row does: clients take objects of equal versions for equal.
 */
export function objectVersion(version: FleetVersion, row: Pick<Row, "rowHash"> | undefined): string {
  return `${formatVersion(version)}.${(row?.rowHash ?? 0n).toString(36)}`;
}

/** Undefined for "" and "0", which accept any state. Throws Expired for a text that is not of this API. */
export function parseVersion(text: string): FleetVersion | undefined {
  if (text === "" || text === "0") return undefined;
  const match = text.length > maxVersionLength ? null : versionForm.exec(text);
  if (match === null) throw expired(`the resourceVersion ${quote(text)} is not one of the fleet`);
  const [, feedId = "", position = "", access = ""] = match;
  return { feedId, position: Number(position), access };
}

/** The hash of what a user sees of each cluster. Equal hashes mean equal visibility. */
export function hashAccess(keys: ReadonlyMap<string, string> | undefined): string {
  const hash = createHash("sha256");
  for (const [cluster, key] of [...(keys ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${cluster} ${key}\n`);
  return hash.digest("base64url").slice(0, 12);
}
