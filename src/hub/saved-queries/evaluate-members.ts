// SPDX-License-Identifier: Apache-2.0
import type { AccessMarks } from "./delivery-access.ts";
import {
  type DeliveryContent,
  type MemberKey,
  maxSampleCount,
  memberKeyOf,
  type SampleRow,
  toSample,
} from "./delivery-body.ts";
import { clusterMark, compareMembers, type MemberId, maxMemberCount } from "./query-members.ts";
import { readMembers, type ViewerQueries } from "./read-members.ts";
import type { KnownRows } from "./standing-query-state.ts";

/** Keys of members that are kept in memory for each query, for the rows that leave. Others leave with their id. */
const maxRememberedCount = 1_000;

/** What is compared with the rows of now. */
export interface StoredMembers {
  /** Undefined at the first evaluation. */
  readonly known: KnownRows | undefined;
  /** Empty unless `known` is exact. */
  readonly members: ReadonlySet<MemberId>;
}

/** The result of an evaluation. */
export interface EvaluatedMembers {
  readonly known: KnownRows;
  readonly members: ReadonlySet<MemberId>;
  /** Clusters that the query selects. */
  readonly clusters: readonly string[];
  /** Undefined if nothing has changed, or at the first evaluation. */
  readonly changes: Omit<DeliveryContent, "kind"> | undefined;
}

export interface EvaluateOptions {
  /** The rights of the owner before the rows are read. */
  readonly access: AccessMarks;
  readonly queries: ViewerQueries;
  readonly text: string;
  readonly stored: StoredMembers;
  /** Clusters whose rows cannot be read now. */
  readonly unreadClusters: () => ReadonlySet<string>;
}

/** Evaluates a query on enter and leave. Remembers keys of its members, so that rows that leave have them. */
export class MembersEvaluation {
  #keys: ReadonlyMap<MemberId, MemberKey> = new Map();
  /** The rights with which the keys were read. */
  #access: AccessMarks = new Map();

  /**
   * Compares the rows of now with the stored members (SQ11). Undefined if only numbers can be compared and some cluster
   * could not be read: the number is then not the whole one.
   */
  async evaluate(options: EvaluateOptions, signal: AbortSignal): Promise<EvaluatedMembers | undefined> {
    const { queries, text, stored, unreadClusters, access } = options;
    this.#forgetForbidden(access);
    const unreadBefore = unreadClusters();
    const keys = new Map<MemberId, MemberKey>();
    const entered: SampleRow[] = [];
    const found = await readMembers(
      queries,
      text,
      (id, row) => {
        if (keys.size < maxRememberedCount) keys.set(id, memberKeyOf(row));
        if (entered.length < maxSampleCount && !stored.members.has(id)) entered.push(toSample(row));
      },
      signal,
    );
    const unread = unreadBefore.union(unreadClusters());
    const { known } = stored;
    if (found.members !== undefined && (known === undefined || known.isExact)) {
      const { entered: ids, left, members } = compareMembers(stored.members, found.members, marksOf(unread));
      if (members.size <= maxMemberCount) {
        const leftRows = left.slice(0, maxSampleCount).map((id) => ({ id, ...this.#keys.get(id) }));
        this.#remember(keys, members);
        const isChanged = known !== undefined && ids.length + left.length > 0;
        return {
          known: { total: members.size, isExact: true },
          members,
          clusters: found.clusters,
          changes: isChanged
            ? {
                total: members.size,
                previousTotal: known.total,
                isExact: true,
                entered: { count: ids.length, rows: entered },
                left: { count: left.length, rows: leftRows },
              }
            : undefined,
        };
      }
    }
    if (found.clusters.some((cluster) => unread.has(cluster))) return undefined;
    this.#remember(keys, found.members ?? new Set());
    return { ...compareTotals(known, found.total, found.members), clusters: found.clusters };
  }

  /** Rows of a cluster in which the owner has other rights now leave with their id: they may no longer be visible. */
  #forgetForbidden(access: AccessMarks): void {
    const isSame = ({ cluster }: MemberKey): boolean => {
      const mark = access.get(cluster);
      // Rows that cannot be read now leave later, with the rights of then.
      return mark === undefined || mark === this.#access.get(cluster);
    };
    const kept = new Map([...this.#access, ...access]);
    this.#keys = new Map([...this.#keys].filter(([, key]) => isSame(key)));
    this.#access = kept;
  }

  /** Keys of members that could not be read now are kept. */
  #remember(keys: Map<MemberId, MemberKey>, members: ReadonlySet<MemberId>): void {
    for (const [id, key] of this.#keys) if (keys.size < maxRememberedCount && members.has(id)) keys.set(id, key);
    this.#keys = keys;
  }
}

function compareTotals(
  known: KnownRows | undefined,
  total: number,
  members: ReadonlySet<MemberId> | undefined,
): Omit<EvaluatedMembers, "clusters"> {
  const now = { total, isExact: members !== undefined };
  const result = { known: now, members: members ?? new Set<MemberId>() };
  if (known === undefined || known.total === total) return { ...result, changes: undefined };
  const growth = total - known.total;
  return {
    ...result,
    changes: {
      total,
      previousTotal: known.total,
      isExact: false,
      entered: { count: Math.max(0, growth), rows: [] },
      left: { count: Math.max(0, -growth), rows: [] },
    },
  };
}

function marksOf(clusters: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...clusters].map(clusterMark));
}
