// SPDX-License-Identifier: Apache-2.0
import type { GrantScopes, RuleList } from "../../rbac/grant-scopes.ts";
import type { Binding, RoleRef } from "../../rbac/rbac-types.ts";
import { RecentValues } from "./recent-values.ts";
import { SharedValues } from "./shared-values.ts";
import { type GrantsCounters, SubjectGrants } from "./subject-grants.ts";

/** The bounds of a cache. */
export interface GrantsCacheOptions {
  /** Most different grants that are kept. */
  readonly maxEntries?: number;
  /** Most estimated bytes of all results together. */
  readonly maxBytes?: number;
  /** Most names that one result may copy; see `maxCopiedNames`. */
  readonly maxNames?: number;
}

/** The state of a cache, for metrics. */
export interface GrantsCacheState extends Readonly<GrantsCounters> {
  readonly entryCount: number;
  readonly bytes: number;
  readonly droppedCount: number;
}

/** A fleet of 1,000 users has some tens of different grants in a cluster, most of them in many clusters. */
const defaultMaxEntries = 20_000;

/** A twentieth of the memory of a hub with 5 million rows. */
const defaultMaxBytes = 64 * 1024 * 1024;

/** What stays when a bound was exceeded. Dropping more than one entry at a time saves most sorts. */
const keptShare = 0.75;

interface CacheEntry {
  readonly grants: SubjectGrants;
  bytes: number;
}

/**
 * Compiled grants of all clusters, by their content: which roles apply, by their rules, in which namespaces. Subjects
 * and clusters with equal content share one entry, and an entry is never outdated: a changed role or binding gives a
 * subject other content. When a bound is exceeded, the least recently used entries are dropped.
 */
export class GrantsCache {
  /** The rules of the roles of all clusters. */
  readonly ruleLists = new SharedValues<RuleList>();
  readonly roleRefs = new SharedValues<RoleRef>();
  readonly subjectLists = new RecentValues<Binding["subjects"]>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #maxNames: number | undefined;
  /** By content. */
  readonly #entries = new Map<string, CacheEntry>();
  readonly #counters: GrantsCounters = { hitCount: 0, missCount: 0, tooLargeCount: 0 };
  #nextKey = 1;
  #bytes = 0;
  #droppedCount = 0;

  constructor({ maxEntries = defaultMaxEntries, maxBytes = defaultMaxBytes, maxNames }: GrantsCacheOptions = {}) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#maxNames = maxNames;
  }

  /** The entry of these grants, whose lists of rules are in use in `ruleLists`. */
  get(scopes: GrantScopes): SubjectGrants {
    const text = this.#contentOf(scopes);
    const known = this.#entries.get(text);
    if (known !== undefined) return known.grants;
    const grants = new SubjectGrants({
      key: this.#nextKey,
      scopes,
      counters: this.#counters,
      maxNames: this.#maxNames,
      grow: (bytes) => this.#grow(text, bytes),
    });
    this.#nextKey += 1;
    this.#entries.set(text, { grants, bytes: 0 });
    const namespaceCount = scopes.inside.reduce((count, { namespaces }) => count + namespaces.size, 0);
    this.#grow(text, text.length + (namespaceCount + 10) * 40);
    return grants;
  }

  get state(): GrantsCacheState {
    return {
      ...this.#counters,
      entryCount: this.#entries.size,
      bytes: this.#bytes,
      droppedCount: this.#droppedCount,
    };
  }

  /** Equal texts mean equal grants, because a number stands for one list of rules for ever. */
  #contentOf({ isMaster, ruleLists, everywhere, inside }: GrantScopes): string {
    const numbers = ruleLists.map((rules) => this.ruleLists.numberOf(rules));
    const numbersOf = (roles: readonly number[]): string =>
      roles.length === 1 ? String(numbers[roles[0] ?? 0]) : ascending(roles.map((role) => numbers[role] ?? 0)).join();
    const parts = inside.flatMap(({ roles, namespaces }) => {
      const key = numbersOf(roles);
      return Array.from(namespaces, (namespace) => `${key} ${namespace}`);
    });
    return JSON.stringify([isMaster, numbersOf(everywhere), parts.sort()]);
  }

  #grow(text: string, bytes: number): void {
    const entry = this.#entries.get(text);
    if (entry === undefined) return;
    entry.bytes += bytes;
    this.#bytes += bytes;
    // An entry that alone exceeds the bound must not displace the others.
    if (entry.bytes > this.#maxBytes) this.#drop(text, entry);
    else if (this.#isOver(1)) this.#dropOldest();
  }

  #isOver(share: number): boolean {
    return this.#entries.size > this.#maxEntries * share || this.#bytes > this.#maxBytes * share;
  }

  #dropOldest(): void {
    const byUse = [...this.#entries].sort(([, a], [, b]) => a.grants.usedAt - b.grants.usedAt);
    for (const [text, entry] of byUse) {
      if (!this.#isOver(keptShare)) return;
      this.#drop(text, entry);
    }
  }

  #drop(text: string, entry: CacheEntry): void {
    this.#entries.delete(text);
    this.#bytes -= entry.bytes;
    this.#droppedCount += 1;
    entry.grants.isDropped = true;
  }
}

function ascending(numbers: number[]): number[] {
  return numbers.sort((a, b) => a - b);
}
