// SPDX-License-Identifier: Apache-2.0
import { type FleetQueries, type FoundFleetRow, maxQueryRows, plainQuery } from "../rows/fleet-queries.ts";
import { type MemberId, maxMemberCount, memberIdOf } from "./query-members.ts";

/** Queries as a subject, as far as saved and standing queries need them. */
export type ViewerQueries = Pick<FleetQueries, "list" | "watch" | "accessMarks">;

/** The rows of a query, by id. */
export interface FoundMembers {
  readonly total: number;
  /** Undefined if there are more than `maxMemberCount`. */
  readonly members: ReadonlySet<MemberId> | undefined;
  /** Clusters that the query selects. */
  readonly clusters: readonly string[];
}

/**
 * Reads all rows of a query in key order, page by page. A row that matches during the whole read is found, and none is
 * found that never matched. Calls `visit` with each row of an answer that has at most `maxMemberCount`.
 */
export async function readMembers(
  queries: ViewerQueries,
  text: string,
  visit: (id: MemberId, row: FoundFleetRow) => void,
  signal: AbortSignal,
): Promise<FoundMembers> {
  const members = new Set<MemberId>();
  let cursor = "";
  for (;;) {
    const answer = await queries.list({ ...plainQuery, text, limit: maxQueryRows, cursor }, signal);
    const { total, clusters, rows, next } = answer;
    if (total > maxMemberCount) return { total, members: undefined, clusters };
    for (const row of rows) {
      const { cluster, resource } = row;
      const id = memberIdOf({ cluster, resource, namespace: row.row.namespace, name: row.row.name });
      members.add(id);
      visit(id, row);
    }
    if (members.size > maxMemberCount) return { total: members.size, members: undefined, clusters };
    if (next === "" || next === cursor) return { total: members.size, members, clusters };
    cursor = next;
  }
}

/** The number of rows of a query, and the clusters that it selects. */
export async function readTotal(
  queries: ViewerQueries,
  text: string,
  signal: AbortSignal,
): Promise<Omit<FoundMembers, "members">> {
  const { total, clusters } = await queries.list({ ...plainQuery, text, limit: 0 }, signal);
  return { total, clusters };
}
