// SPDX-License-Identifier: Apache-2.0
// Saved queries in the store. They are texts: running one is a query of its viewer (SQ1).
import { FlotillaError, hasCode } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type Revision, toRevision } from "../../model/revision.ts";
import { quote } from "../../model/text.ts";
import { listPages } from "../../store/follow-table.ts";
import { put, remove, type Store, type TableRow } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import type { Actor } from "../audit/audit-record.ts";
import { commitCreation } from "./commit-creation.ts";
import { describeSavedQuery, type QueryAuditLog } from "./query-audit.ts";
import { checkQueryName, refuseInput, savedQueryCounts } from "./query-limits.ts";
import { queryId, savedQueryKey, savedQueryPrefix } from "./query-places.ts";
import { fromSavedBody, type SavedContent, type SavedQueryRecord, toSavedBody } from "./saved-query-record.ts";

/** Names a saved query: the shared one of this name, or a private one of an owner. */
export interface SavedQueryName {
  readonly name: string;
  /** Undefined: shared. */
  readonly privateOwner: string | undefined;
}

/** A page of saved queries. */
export interface SavedQueryPage {
  readonly records: readonly SavedQueryRecord[];
  /** The position of the next page; "" after the last. */
  readonly next: string;
}

export interface SavedQueriesOptions {
  readonly store: Store;
  readonly audit: QueryAuditLog;
  readonly clock: Clock;
}

/** A hundred of the largest queries are within the smallest message limit of clients. */
const maxPageSize = 100;

/** Keeps saved queries. Contents are checked before they get here. */
export class SavedQueries {
  readonly #options: SavedQueriesOptions;

  constructor(options: SavedQueriesOptions) {
    this.#options = options;
  }

  /** Throws ALREADY_EXISTS for a name that the owner can see, and OVERLOADED at a bound (SQ3). */
  async create(
    wanted: { readonly name: string; readonly isPrivate: boolean; readonly content: SavedContent },
    owner: string,
    by: Actor,
  ): Promise<SavedQueryRecord> {
    const { store, audit, clock } = this.#options;
    const name = checkQueryName(wanted.name);
    const nowMs = Math.round(clock.wallMs());
    const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
    const record = { ...wanted, owner, ...times, revision: toRevision(0) };
    const revision = await commitCreation(
      { store, audit },
      {
        kind: "saved",
        prefix: savedQueryPrefix,
        key: savedQueryKey(name, wanted.isPrivate ? owner : undefined),
        body: toBody(record),
        owner,
        ownerOf,
        counts: savedQueryCounts,
        entry: describeSavedQuery(undefined, record),
      },
      by,
    );
    if (revision !== undefined) return { ...record, revision };
    const whose = wanted.isPrivate ? "you have a private" : "there is a shared";
    throw new FlotillaError("ALREADY_EXISTS", `${whose} saved query ${quote(name)} already; choose another name`);
  }

  /** Throws NOT_FOUND. Private queries of other owners do not exist for a viewer: pass the viewer as their owner. */
  async load({ name, privateOwner }: SavedQueryName): Promise<SavedQueryRecord> {
    const row = await this.#options.store.get(objects, savedQueryKey(checkQueryName(name), privateOwner));
    if (row !== undefined) return toRecord(row);
    const kind = privateOwner === undefined ? "shared" : "private";
    throw new FlotillaError("NOT_FOUND", `there is no ${kind} saved query ${quote(name)}`);
  }

  /** Replaces the content. Throws NOT_FOUND, PERMISSION_DENIED for another owner, and CONFLICT (SQ4). */
  async update(
    of: SavedQueryName,
    change: { readonly content: SavedContent; readonly revision: Revision },
    user: string,
    by: Actor,
  ): Promise<SavedQueryRecord> {
    const { audit, clock } = this.#options;
    const before = await this.load(of);
    assertOwner(before, user);
    assertRevision(before, change.revision);
    const after = { ...before, content: change.content, updatedAtMs: Math.round(clock.wallMs()) };
    const outcome = await audit.append(
      [put(objects, savedQueryKey(of.name, of.privateOwner), { body: toBody(after) }, before.revision)],
      () => [describeSavedQuery(before, after)],
      by,
    );
    if (outcome.kind !== "committed") throw changedMeanwhile(of.name);
    return { ...after, revision: outcome.revisions[0] ?? outcome.revision };
  }

  /**
   * Deletes a query of the user; with `isManager` of any owner. `revision` undefined: any. Throws NOT_FOUND,
   * PERMISSION_DENIED and CONFLICT.
   */
  async delete(
    of: SavedQueryName,
    change: { readonly revision: Revision | undefined; readonly isManager: boolean },
    user: string,
    by: Actor,
  ): Promise<void> {
    const before = await this.load(of);
    if (!change.isManager) assertOwner(before, user);
    if (change.revision !== undefined) assertRevision(before, change.revision);
    const outcome = await this.#options.audit.append(
      [remove(objects, savedQueryKey(of.name, of.privateOwner), before.revision)],
      () => [describeSavedQuery(before, undefined)],
      by,
    );
    if (outcome.kind !== "committed") throw changedMeanwhile(of.name);
  }

  /**
   * The shared queries and the private ones of the viewer, by name. The position of a page is a query that the viewer
   * can see. An unreadable row is left out.
   */
  async list(viewer: string, page: { readonly size: number; readonly from: string }): Promise<SavedQueryPage> {
    const { store } = this.#options;
    const limit = page.size === 0 ? maxPageSize : Math.min(page.size, maxPageSize);
    const after = parsePosition(page.from, viewer);
    const records: SavedQueryRecord[] = [];
    for await (const { rows } of listPages(store, objects, savedQueryPrefix)) {
      for (const row of rows) {
        const id = row.key.at(-1) ?? "";
        const record = id <= after ? undefined : toVisible(row, viewer);
        if (record === undefined) continue;
        const last = records.at(-1);
        if (records.length === limit && last !== undefined)
          return { records, next: last.isPrivate ? `${last.name}@` : last.name };
        records.push(record);
      }
    }
    return { records, next: "" };
  }
}

/** The position of a page is a name, with `@` after it for a private query of the viewer. Returns an id. */
function parsePosition(text: string, viewer: string): string {
  if (text === "") return "";
  const isPrivate = text.endsWith("@");
  const name = isPrivate ? text.slice(0, -1) : text;
  if (/^[-a-z0-9]{1,63}$/.test(name)) return queryId(name, isPrivate ? viewer : undefined);
  return refuseInput("page_token was not issued by this hub; leave it empty for the first page");
}

function toVisible(row: TableRow<typeof objects>, viewer: string): SavedQueryRecord | undefined {
  try {
    const record = toRecord(row);
    return record.isPrivate && record.owner !== viewer ? undefined : record;
  } catch (reason) {
    if (hasCode(reason, "STORE_CORRUPT")) return undefined;
    throw reason;
  }
}

function toRecord({ key, value, revision }: TableRow<typeof objects>): SavedQueryRecord {
  return fromSavedBody(key.at(-1) ?? "", value.body, revision);
}

function toBody({ revision: _revision, ...stored }: SavedQueryRecord): Uint8Array {
  return toSavedBody(stored);
}

/** An unreadable row counts towards the total only. */
function ownerOf(id: string, body: Uint8Array): string {
  try {
    return fromSavedBody(id, body, toRevision(0)).owner;
  } catch (reason) {
    if (hasCode(reason, "STORE_CORRUPT")) return "";
    throw reason;
  }
}

function assertOwner({ name, owner }: SavedQueryRecord, user: string): void {
  if (owner === user) return;
  throw new FlotillaError("PERMISSION_DENIED", `the saved query ${quote(name)} belongs to ${quote(owner)}`);
}

function assertRevision({ name, revision }: SavedQueryRecord, expected: Revision): void {
  if (revision !== expected) throw changedMeanwhile(name);
}

function changedMeanwhile(name: string): FlotillaError {
  return new FlotillaError("CONFLICT", `the saved query ${quote(name)} was changed meanwhile; read it again`);
}
