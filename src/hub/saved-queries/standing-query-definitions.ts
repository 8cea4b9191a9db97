// SPDX-License-Identifier: Apache-2.0
// The definitions of standing queries in the store. StandingQueries evaluates them.
import { FlotillaError, hasCode } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type Revision, toRevision } from "../../model/revision.ts";
import { quote } from "../../model/text.ts";
import { listPages } from "../../store/follow-table.ts";
import { put, remove, type Store, type TableRow, type Write } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import type { Actor } from "../audit/audit-record.ts";
import { commitCreation } from "./commit-creation.ts";
import {
  describeStandingChange,
  describeStandingQuery,
  describeStandingUpdate,
  type QueryAuditEntry,
  type QueryAuditLog,
} from "./query-audit.ts";
import { checkQueryName, type QueryCounts, standingQueryCounts } from "./query-limits.ts";
import { queryId, standingQueryKey, standingQueryPrefix, standingRunKey, standingRunKeys } from "./query-places.ts";
import {
  conditionText,
  fromStandingBody,
  type QueryOwner,
  type StandingQueryRecord,
  toStandingBody,
} from "./standing-query-record.ts";
import { fromStateBody, stateRow, toRestarted, toStateBody } from "./standing-query-state.ts";

/** What an update replaces; an undefined secret stays. */
export type StandingQueryUpdate = Omit<NewStandingQuery, "name" | "secret"> & { readonly secret: string | undefined };

/** A standing query to be created. Its text, URL and numbers are checked before. */
export type NewStandingQuery = Pick<
  StandingQueryRecord,
  "name" | "query" | "description" | "condition" | "webhookUrl" | "secret" | "intervalMs"
>;

export interface StandingQueryDefinitionsOptions {
  readonly store: Store;
  readonly audit: QueryAuditLog;
  readonly clock: Clock;
  readonly counts?: QueryCounts;
}

/** People change a query by hand; this many conflicts in a row indicate another fault. */
const maxAttemptCount = 8;

/** Keeps the definitions. A standing query is named by its owner's user name and its own name. */
export class StandingQueryDefinitions {
  readonly #options: StandingQueryDefinitionsOptions;

  constructor(options: StandingQueryDefinitionsOptions) {
    this.#options = options;
  }

  /** Throws ALREADY_EXISTS for a name that this owner has, and OVERLOADED at a bound (SQ8). */
  async create(wanted: NewStandingQuery, owner: QueryOwner, by: Actor): Promise<StandingQueryRecord> {
    const { store, audit, clock, counts = standingQueryCounts } = this.#options;
    const id = queryId(checkQueryName(wanted.name), owner.user);
    const createdAtMs = Math.round(clock.wallMs());
    const record = { ...wanted, id, owner, isPaused: false, generation: 0, createdAtMs, revision: toRevision(0) };
    const revision = await commitCreation(
      { store, audit },
      {
        kind: "standing",
        prefix: standingQueryPrefix,
        key: standingQueryKey(id),
        body: toStandingBody(record),
        owner: owner.user,
        ownerOf,
        counts,
        entry: describeStandingQuery("standingQuery.create", record),
      },
      by,
    );
    if (revision !== undefined) return { ...record, revision };
    throw new FlotillaError(
      "ALREADY_EXISTS",
      `you have a standing query ${quote(wanted.name)} already; choose another name`,
    );
  }

  /** Throws NOT_FOUND. */
  async load(name: string, owner: string): Promise<StandingQueryRecord> {
    const id = queryId(checkQueryName(name), owner);
    const row = await this.#options.store.get(objects, standingQueryKey(id));
    if (row !== undefined) return fromStandingBody(id, row.value.body, row.revision);
    throw new FlotillaError("NOT_FOUND", `there is no standing query ${quote(name)}`);
  }

  /** By name, then owner; at most as many as are kept. An unreadable row is left out. */
  async list(isShown: (record: StandingQueryRecord) => boolean): Promise<readonly StandingQueryRecord[]> {
    const records: StandingQueryRecord[] = [];
    for await (const { rows } of listPages(this.#options.store, objects, standingQueryPrefix)) {
      for (const row of rows) {
        const record = readRow(row);
        if (record !== undefined && isShown(record)) records.push(record);
      }
    }
    return records;
  }

  /** Replaces the definition (SQ16). Throws NOT_FOUND and CONFLICT. */
  async update(
    name: string,
    owner: string,
    { update, revision }: { readonly update: StandingQueryUpdate; readonly revision: Revision },
    by: Actor,
  ): Promise<StandingQueryRecord> {
    return this.#change(name, owner, by, async (before) => {
      if (before.revision !== revision)
        throw new FlotillaError("CONFLICT", `the standing query ${quote(name)} was changed meanwhile; read it again`);
      const after = { ...before, ...update, secret: update.secret ?? before.secret };
      if (Buffer.compare(toStandingBody(before), toStandingBody(after)) === 0) return undefined;
      const beginsAnew =
        before.query !== after.query || conditionText(before.condition) !== conditionText(after.condition);
      const writes = [toWrite(after), ...(beginsAnew ? await this.#stateResets(before.id) : [])];
      return { writes, entry: describeStandingUpdate(before, after), after };
    });
  }

  /** Deletes the definition and its state: a delivery that waits is not sent any more. Throws NOT_FOUND. */
  async delete(name: string, owner: string, by: Actor): Promise<void> {
    await this.#change(name, owner, by, async (before) => ({
      writes: [
        remove(objects, standingQueryKey(before.id), before.revision),
        ...(await this.#stateRemovals(before.id)),
      ],
      entry: describeStandingQuery("standingQuery.delete", before),
      after: before,
    }));
  }

  /** Pauses it; does nothing if it is paused. Throws NOT_FOUND. */
  pause(name: string, owner: string, by: Actor): Promise<StandingQueryRecord> {
    return this.#change(name, owner, by, async (before) => {
      if (before.isPaused) return undefined;
      const after = { ...before, isPaused: true };
      return { writes: [toWrite(after)], entry: describeStandingChange("standingQuery.pause", before), after };
    });
  }

  /** Continues it as this owner: a pause, a suspension and the state dead end (SQ10). Throws NOT_FOUND. */
  resume(name: string, owner: QueryOwner, by: Actor): Promise<StandingQueryRecord> {
    return this.#change(name, owner.user, by, async (before) => {
      const after = { ...before, owner, isPaused: false, generation: before.generation + 1 };
      const entry = describeStandingChange("standingQuery.resume", before, { groups: owner.groups });
      return { writes: [toWrite(after)], entry, after };
    });
  }

  /** Computes and commits a change of the current definition, again after a conflict. Undefined changes nothing. */
  async #change(
    name: string,
    owner: string,
    by: Actor,
    toChange: (before: StandingQueryRecord) => Promise<StandingChange | undefined>,
  ): Promise<StandingQueryRecord> {
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const before = await this.load(name, owner);
      const change = await toChange(before);
      if (change === undefined) return before;
      const outcome = await this.#options.audit.append(change.writes, () => [change.entry], by);
      if (outcome.kind === "committed") return { ...change.after, revision: outcome.revisions[0] ?? outcome.revision };
    }
    throw new FlotillaError("CONFLICT", `the standing query ${quote(name)} keeps changing; try again`);
  }

  /** Every write of the state changes its first row: a removal that misses a newer row conflicts there. */
  async #stateRemovals(id: string): Promise<readonly Write[]> {
    const stateKey = standingRunKey(id, stateRow);
    const state = await this.#options.store.get(objects, stateKey);
    return [remove(objects, stateKey, state?.revision ?? "absent"), ...(await this.#memberRemovals(id))];
  }

  /** The state of a query that begins anew; none if it was never evaluated. */
  async #stateResets(id: string): Promise<readonly Write[]> {
    const stateKey = standingRunKey(id, stateRow);
    const row = await this.#options.store.get(objects, stateKey);
    if (row === undefined) return [];
    const body = toStateBody(toRestarted(fromStateBody(id, row.value.body)));
    return [put(objects, stateKey, { body }, row.revision), ...(await this.#memberRemovals(id))];
  }

  /** Removes the members and the body of a delivery. */
  async #memberRemovals(id: string): Promise<readonly Write[]> {
    const removals: Write[] = [];
    for await (const { rows } of listPages(this.#options.store, objects, standingRunKeys(id)))
      for (const { key } of rows) if (key.at(-1) !== stateRow) removals.push(remove(objects, key));
    return removals;
  }
}

interface StandingChange {
  readonly writes: readonly Write[];
  readonly entry: QueryAuditEntry;
  readonly after: StandingQueryRecord;
}

/** Writes the definition in the place of the one that was read. */
function toWrite(after: StandingQueryRecord): Write {
  return put(objects, standingQueryKey(after.id), { body: toStandingBody(after) }, after.revision);
}

function readRow({ key, value, revision }: TableRow<typeof objects>): StandingQueryRecord | undefined {
  try {
    return fromStandingBody(key.at(-1) ?? "", value.body, revision);
  } catch (reason) {
    if (hasCode(reason, "STORE_CORRUPT")) return undefined;
    throw reason;
  }
}

/** An unreadable row counts towards the total only. */
function ownerOf(id: string, body: Uint8Array): string {
  return readRow({ key: [id], value: { body }, revision: toRevision(0) })?.owner.user ?? "";
}
