// SPDX-License-Identifier: Apache-2.0
// The rows of a standing query as a set of ids, and its stored form.
import { hash } from "node:crypto";
import { FlotillaError } from "../../base/error.ts";
import type { QueriedObject } from "../rows/fleet-queries.ts";

/**
 * The id of a row: 8 hexadecimal digits of its cluster and 16 of its key. An object that is deleted and created again
 * has the same id. Deliveries contain it, so that receivers can match a row that left with the one that entered.
 */
export type MemberId = string;

/** The most members that are stored one by one: 12 bytes each, 120 kB for a query (SQ13). */
export const maxMemberCount = 10_000;

const clusterDigits = 8;
const keyDigits = 16;
const idBytes = (clusterDigits + keyDigits) / 2;

/** Members are stored in this many rows, so that a change of a few rewrites little: 2 kB each at the most members. */
const bucketCount = 64;

/** No object has this id: 96 bits of a hash are not all zero. */
const noMember: MemberId = "0".repeat(2 * idBytes);

/** The id of an object. */
export function memberIdOf({ cluster, resource, namespace, name }: QueriedObject): MemberId {
  return clusterMark(cluster) + digestOf([cluster, resource, namespace, name], keyDigits);
}

/** The first digits of the ids of a cluster's rows. */
export function clusterMark(cluster: string): string {
  return digestOf([cluster], clusterDigits);
}

/** True for the id of a row of a cluster with one of these marks. */
export function isOfCluster(id: MemberId, marks: ReadonlySet<string>): boolean {
  return marks.size > 0 && marks.has(id.slice(0, clusterDigits));
}

function digestOf(parts: readonly string[], digits: number): string {
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, digits);
}

/** What has changed between two sets. */
export interface MemberChanges {
  readonly entered: readonly MemberId[];
  readonly left: readonly MemberId[];
  /** The members from now on. */
  readonly members: ReadonlySet<MemberId>;
}

/**
 * Compares the stored members with the rows of an answer. A member of a cluster that could not be read stays a member:
 * its absence proves nothing (L4).
 */
export function compareMembers(
  stored: ReadonlySet<MemberId>,
  found: ReadonlySet<MemberId>,
  unreadMarks: ReadonlySet<string>,
): MemberChanges {
  const missing = stored.difference(found);
  const kept = [...missing].filter((id) => isOfCluster(id, unreadMarks));
  return {
    entered: [...found.difference(stored)],
    left: [...missing].filter((id) => !isOfCluster(id, unreadMarks)),
    members: kept.length === 0 ? found : found.union(new Set(kept)),
  };
}

/** Names of all rows that hold members. */
export const bucketNames: readonly string[] = Array.from({ length: bucketCount }, (_none, at) => nameOf(at));

/** The members by the name of their row. Rows without members are left out. */
export function toBuckets(members: ReadonlySet<MemberId>): ReadonlyMap<string, Uint8Array> {
  const ids = new Map<string, MemberId[]>();
  for (const id of members) {
    const name = bucketOf(id);
    const bucket = ids.get(name);
    if (bucket === undefined) ids.set(name, [id]);
    else bucket.push(id);
  }
  return new Map([...ids].map(([name, bucket]) => [name, new Uint8Array(Buffer.from(bucket.sort().join(""), "hex"))]));
}

/** Adds the members of a stored row. Throws STORE_CORRUPT. */
export function addBucket(members: Set<MemberId>, name: string, body: Uint8Array): void {
  if (body.length % idBytes !== 0)
    throw new FlotillaError("STORE_CORRUPT", `the stored members ${name} of a standing query are corrupt`);
  for (const id of toIds(body)) members.add(id);
}

/** What a change of the members has to be undone with: those that entered, a zero id, and those that left. */
export function toUndoBody(before: ReadonlySet<MemberId>, after: ReadonlySet<MemberId>): Uint8Array {
  const digits = [...after.difference(before), noMember, ...before.difference(after)].join("");
  return new Uint8Array(Buffer.from(digits, "hex"));
}

/** The members before a change. Throws STORE_CORRUPT. */
export function undoChanges(after: ReadonlySet<MemberId>, undo: Uint8Array): ReadonlySet<MemberId> {
  const ids = toIds(undo);
  const middle = ids.indexOf(noMember);
  if (middle < 0) throw new FlotillaError("STORE_CORRUPT", "the stored change of a standing query is corrupt");
  return after.difference(new Set(ids.slice(0, middle))).union(new Set(ids.slice(middle + 1)));
}

function toIds(body: Uint8Array): readonly MemberId[] {
  const digits = Buffer.from(body).toString("hex");
  return Array.from({ length: Math.floor(body.length / idBytes) }, (_none, at) =>
    digits.slice(2 * idBytes * at, 2 * idBytes * (at + 1)),
  );
}

function bucketOf(id: MemberId): string {
  const lastDigits = Number.parseInt(id.slice(-2), 16);
  return nameOf(lastDigits % bucketCount);
}

function nameOf(bucket: number): string {
  return `members-${String(bucket).padStart(2, "0")}`;
}
