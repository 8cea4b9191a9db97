// SPDX-License-Identifier: Apache-2.0
// The stored state of one standing query: its state row, the delivery that is being sent, its members.
import { FlotillaError } from "../../base/error.ts";
import type { Revision } from "../../model/revision.ts";
import { listPages } from "../../store/follow-table.ts";
import { type Fence, type Key, put, remove, type Store, type Write } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import { hubActor } from "../audit/audit-record.ts";
import type { QueryAuditEntry, QueryAuditLog } from "./query-audit.ts";
import { addBucket, bucketNames, type MemberId, toBuckets, toUndoBody, undoChanges } from "./query-members.ts";
import { standingQueryKey, standingRunKey, standingRunKeys } from "./query-places.ts";
import { type StandingQueryRecord, toStandingBody } from "./standing-query-record.ts";
import {
  fromStateBody,
  initialStandingState,
  type StandingQueryState,
  stateRow,
  toStateBody,
} from "./standing-query-state.ts";

/** The last key part of the row of a delivery's body. */
const deliveryRow = "delivery";

/** The last key part of the row with what the evaluation of a delivery changed of the members. */
const undoRow = "undo";

export interface StandingStateStoreOptions {
  readonly store: Store;
  readonly audit: QueryAuditLog;
  readonly fence: Fence;
}

/** What else a write changes beside the state. Parts that are left out stay as they are. */
export interface StateWrite {
  /** The body of the pending delivery. */
  readonly body?: string;
  readonly members?: { readonly before: ReadonlySet<MemberId>; readonly after: ReadonlySet<MemberId> };
  readonly entry?: QueryAuditEntry;
}

/**
 * Reads and writes the state while this hub holds the lease. Each write is one commit that is refused if the lease, the
 * definition or the state is another one.
 */
export class StandingStateStore {
  readonly #options: StandingStateStoreOptions;
  readonly #record: StandingQueryRecord;
  #state: StandingQueryState = initialStandingState;
  #revision: Revision | undefined;

  constructor(record: StandingQueryRecord, options: StandingStateStoreOptions) {
    this.#record = record;
    this.#options = options;
  }

  /** The state as last read or written. */
  get state(): StandingQueryState {
    return this.#state;
  }

  async load(): Promise<void> {
    const { id } = this.#record;
    const row = await this.#options.store.get(objects, standingRunKey(id, stateRow));
    this.#revision = row?.revision;
    this.#state = row === undefined ? initialStandingState : fromStateBody(id, row.value.body);
  }

  /** The members that were last reported. They are read each time: a query holds none in memory between evaluations. */
  async loadMembers(): Promise<ReadonlySet<MemberId>> {
    const members = new Set<MemberId>();
    for await (const { rows } of listPages(this.#options.store, objects, standingRunKeys(this.#record.id))) {
      for (const { key, value } of rows) {
        const name = key.at(-1) ?? "";
        if (bucketSet.has(name)) addBucket(members, name, value.body);
      }
    }
    return members;
  }

  /** The body of the pending delivery. */
  async loadBody(): Promise<string> {
    const row = await this.#options.store.get(objects, standingRunKey(this.#record.id, deliveryRow));
    if (row !== undefined) return new TextDecoder().decode(row.value.body);
    throw new FlotillaError("STORE_CORRUPT", "the body of a pending delivery is missing");
  }

  /**
   * Withdraws the pending delivery: the state and the members are those before its evaluation. A delivery of an older
   * hub, which did not store them, leaves the query as before its first evaluation.
   */
  async withdraw(): Promise<void> {
    const { pending } = this.#state;
    if (pending === undefined) return;
    const before = await this.loadMembers();
    const row = await this.#options.store.get(objects, standingRunKey(this.#record.id, undoRow));
    const after = row === undefined ? before : undoChanges(before, row.value.body);
    await this.write({ ...pending.before, pending: undefined }, { members: { before, after } });
  }

  /** Changes the state. Throws FENCED if another hub has the lease, or if the definition or the state has changed. */
  async write(change: Partial<Omit<StandingQueryState, "writeCount">>, also: StateWrite = {}): Promise<void> {
    const { audit, store, fence } = this.#options;
    const { id } = this.#record;
    const state = { ...this.#state, ...change, writeCount: this.#state.writeCount + 1 };
    const writes = [
      put(objects, standingRunKey(id, stateRow), { body: toStateBody(state) }, this.#revision ?? "absent"),
      // The definition as it is: the commit conflicts unless it still exists at this revision.
      put(objects, standingQueryKey(id), { body: toStandingBody(this.#record) }, this.#record.revision),
      ...this.#deliveryWrites(state, also),
      ...this.#memberWrites(also),
    ];
    const { entry } = also;
    const outcome =
      entry === undefined
        ? await store.commit(writes, { fence })
        : await audit.append(writes, () => [entry], hubActor, { fence });
    if (outcome.kind === "fenced") throw new FlotillaError("FENCED", "another hub evaluates the standing queries now");
    if (outcome.kind === "conflict") throw new FlotillaError("FENCED", "the standing query was changed meanwhile");
    this.#revision = outcome.revisions[0] ?? outcome.revision;
    this.#state = state;
  }

  #deliveryWrites({ pending }: StandingQueryState, { body, members }: StateWrite): readonly Write[] {
    const [key, undoKey] = [deliveryRow, undoRow].map((part) => standingRunKey(this.#record.id, part)) as [Key, Key];
    if (body === undefined) return pending === undefined ? [remove(objects, key), remove(objects, undoKey)] : [];
    const delivery = put(objects, key, { body: new TextEncoder().encode(body) });
    const undo = members && toUndoBody(members.before, members.after);
    return [delivery, undo === undefined ? remove(objects, undoKey) : put(objects, undoKey, { body: undo })];
  }

  #memberWrites({ members }: StateWrite): readonly Write[] {
    if (members === undefined) return [];
    const [before, after] = [toBuckets(members.before), toBuckets(members.after)];
    return bucketNames.flatMap((name) => {
      const key = standingRunKey(this.#record.id, name);
      const [old, body] = [before.get(name), after.get(name)];
      if (body === undefined) return old === undefined ? [] : [remove(objects, key)];
      return old !== undefined && Buffer.compare(old, body) === 0 ? [] : [put(objects, key, { body })];
    });
  }
}

const bucketSet: ReadonlySet<string> = new Set(bucketNames);
