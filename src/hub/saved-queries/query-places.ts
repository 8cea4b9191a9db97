// SPDX-License-Identifier: Apache-2.0
// Where queries are kept: rows of the table `objects`. No workspace can have this id, so they are never served.
import { createHash } from "node:crypto";
import { fleetApiGroup } from "../../model/names.ts";
import type { Key } from "../../store/store.ts";
import { standingQueryPlace } from "../../store/tables.ts";

const { workspace } = standingQueryPlace;

/** Saved queries: one row each. */
export const savedQueryPrefix: Key = [workspace, `${fleetApiGroup}/savedqueries`];

/** Definitions of standing queries: one row each. Bodies contain the webhook's secret and are always encrypted (L18). */
export const standingQueryPrefix: Key = [workspace, standingQueryPlace.resource];

/** State of standing queries. The third part of a key is the id of the standing query. */
const standingRunPrefix: Key = [workspace, `${fleetApiGroup}/standingqueryruns`];

/** Characters of an owner's hash: 128 bits. */
const ownerHashLength = 32;

/**
 * The id of a query within its prefix. Names of an owner's own queries have the hash of the owner's user name after
 * them, so that they collide with those of no other owner. `@` is in no name.
 */
export function queryId(name: string, owner?: string): string {
  if (owner === undefined) return name;
  return `${name}@${createHash("sha256").update(owner).digest("hex").slice(0, ownerHashLength)}`;
}

/** The key of a saved query: a shared one, or with `owner` a private one. */
export function savedQueryKey(name: string, owner?: string): Key {
  return [...savedQueryPrefix, "", queryId(name, owner)];
}

/** The key of a standing query by its id. */
export function standingQueryKey(id: string): Key {
  return [...standingQueryPrefix, "", id];
}

/** The prefix of the state of one standing query. */
export function standingRunKeys(id: string): Key {
  return [...standingRunPrefix, id];
}

/** The key of one part of a standing query's state. */
export function standingRunKey(id: string, part: string): Key {
  return [...standingRunPrefix, id, part];
}

/** The row that each creation changes, so that two creations cannot both take the last free place. */
export function creationCountKey(kind: "saved" | "standing" | "application"): Key {
  return [workspace, `${fleetApiGroup}/querycounts`, "", kind];
}
