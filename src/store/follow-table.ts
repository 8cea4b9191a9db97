// SPDX-License-Identifier: Apache-2.0
// List and watch of one table, for readers that hold its rows in memory.
import { hasCode } from "../base/error.ts";
import { type RetryOptions, retry } from "../base/time/retry.ts";
import type { Revision } from "../model/revision.ts";
import type { Key, RowPage, Store } from "./store.ts";
import type { TableSpec, ValueOf } from "./table.ts";

/** Receives the rows of a table. The id of a row is the last part of its key. */
export interface TableFollower<T extends TableSpec> {
  /** The ids held now. Those that a complete list lacks are reported as deleted. */
  ids(): Iterable<string>;
  /** A row, or null for a deleted one. A repeated list reports rows again that have not changed. */
  set(id: string, value: ValueOf<T> | null, revision: Revision): void;
  /** Called after each complete list. */
  listed?(): void | Promise<void>;
  /** Called when every change up to this revision was reported. */
  delivered?(revision: Revision): void;
}

export interface FollowTableOptions<T extends TableSpec>
  extends Pick<RetryOptions, "what" | "clock" | "random" | "log"> {
  readonly store: Store;
  readonly table: T;
  readonly prefix: Key;
}

/** Short delays: created and revoked tokens, keys and imports take effect only once the store can be read again. */
const followBackoff = { firstMs: 100, factor: 2, capMs: 5_000, stableMs: 10_000 };

/**
 * Lists the rows under a prefix, then reports each change, until the signal aborts. Lists again when the position of
 * the watch was compacted. Rejects with the signal's reason or a permanent failure.
 */
export async function followTable<T extends TableSpec>(
  options: FollowTableOptions<T>,
  follower: TableFollower<T>,
  signal: AbortSignal,
): Promise<never> {
  const { store, table, prefix, what, clock, random, log } = options;
  const listAndWatch = async (inner: AbortSignal, markHealthy: () => void): Promise<void> => {
    const from = store.cursor(await listInto(options, follower));
    markHealthy();
    try {
      for await (const { changes, revision: at } of store.watch(table, { prefix, from, signal: inner })) {
        for (const { key, value, revision } of changes) follower.set(key.at(-1) ?? "", value, revision);
        follower.delivered?.(at);
      }
    } catch (reason) {
      if (!hasCode(reason, "GONE")) throw reason;
    }
  };
  for (;;) await retry(listAndWatch, { what, clock, random, log, backoff: followBackoff }, signal);
}

async function listInto<T extends TableSpec>(
  { store, table, prefix }: FollowTableOptions<T>,
  follower: TableFollower<T>,
): Promise<Revision> {
  const listed = new Set<string>();
  let at = store.revision;
  for await (const { rows, revision: listRevision } of listPages(store, table, prefix)) {
    at = listRevision;
    for (const { key, value, revision } of rows) {
      const id = key.at(-1) ?? "";
      listed.add(id);
      follower.set(id, value, revision);
    }
  }
  for (const id of follower.ids()) if (!listed.has(id)) follower.set(id, null, at);
  await follower.listed?.();
  return at;
}

/** All rows under a prefix as of one revision, page by page. There is always a first page; it may be empty. */
export async function* listPages<T extends TableSpec>(store: Store, table: T, prefix: Key): AsyncGenerator<RowPage<T>> {
  let page = await store.list(table, { prefix });
  for (;;) {
    yield page;
    const after = page.rows.at(-1)?.key;
    if (!page.more || after === undefined) return;
    page = await store.list(table, { prefix, after, asOf: page.revision });
  }
}
