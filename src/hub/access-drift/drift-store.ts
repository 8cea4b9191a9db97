// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type Revision, toRevision } from "../../model/revision.ts";
import { followTable, listPages } from "../../store/follow-table.ts";
import { type CommitOutcome, put, type Store, type Write } from "../../store/store.ts";
import { accessDrift, clusters } from "../../store/tables.ts";
import { type DriftValue, fromDriftValue, orUnreadable, toDriftValue } from "./drift-record.ts";
import { type DriftState, joinDrift, noDrift } from "./drift-state.ts";

/** The drift of a cluster as it is in the store. */
export interface StoredDrift {
  readonly state: DriftState;
  /** Of the row, or of its absence; 0 if the row was never read. */
  readonly revision: Revision;
}

/** Every cluster at first. */
export const neverStored: StoredDrift = { state: noDrift, revision: toRevision(0) };

/** Receives the stored drift of a cluster, after each change by any hub and after each complete list. */
export interface DriftFollower {
  /** The clusters with drift now. */
  drifted(): Iterable<string>;
  take(cluster: string, stored: StoredDrift): void;
}

export interface DriftStoreOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Most requests of a cluster. */
  readonly maxDiffering: number;
}

/** A row has few writers. More conflicts in a row indicate another fault. */
const maxAttemptCount = 8;

/** The stored drift of all clusters (RB83). */
export class DriftStore {
  readonly #options: DriftStoreOptions;

  constructor(options: DriftStoreOptions) {
    this.#options = options;
  }

  /** Reads the drift of all clusters once. */
  async load(follower: DriftFollower): Promise<void> {
    const { store } = this.#options;
    for await (const { rows } of listPages(store, accessDrift, [store.workspace]))
      for (const { key, value, revision } of rows) this.#pass(follower, key.at(-1) ?? "", value, revision);
  }

  /** Follows the drift of all clusters until the signal aborts; then rejects with its reason. */
  async follow(follower: DriftFollower, signal: AbortSignal): Promise<void> {
    const { store, clock, random, log } = this.#options;
    const what = "following the access drift in the store";
    await followTable(
      { store, table: accessDrift, prefix: [store.workspace], what, clock, random, log },
      {
        ids: () => follower.drifted(),
        set: (cluster, value, revision) => this.#pass(follower, cluster, value, revision),
      },
      signal,
    );
  }

  /**
   * Stores the state of a cluster in place of the one read before. If another hub has changed it meanwhile, both are
   * joined. Returns what is stored then; undefined if the cluster is not registered. Throws CONFLICT.
   */
  async save(cluster: string, wanted: DriftState, before: StoredDrift): Promise<StoredDrift | undefined> {
    const { store, maxDiffering } = this.#options;
    let [state, read] = [wanted, before];
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const registered = await store.get(clusters, [store.workspace, cluster]);
      if (registered === undefined) return undefined;
      const outcome = await store.commit([
        this.#toWrite(cluster, state, read),
        // The cluster as it is: the commit conflicts if it was removed meanwhile.
        put(clusters, registered.key, registered.value, registered.revision),
      ]);
      if (outcome.kind === "committed") return { state, revision: revisionOf(outcome, state) };
      const stored = await this.#read(cluster);
      if (stored.revision !== read.revision) state = joinDrift(state, stored.state, maxDiffering);
      read = stored;
    }
    throw new FlotillaError("CONFLICT", "the drift of a cluster is being changed by other hubs", { ids: { cluster } });
  }

  #toWrite(cluster: string, state: DriftState, read: StoredDrift): Write {
    const { store } = this.#options;
    const expect = toDriftValue(read.state) === null ? "absent" : read.revision;
    return { table: accessDrift, key: [store.workspace, cluster], value: toDriftValue(state), expect };
  }

  async #read(cluster: string): Promise<StoredDrift> {
    const { store } = this.#options;
    const row = await store.get(accessDrift, [store.workspace, cluster]);
    return row === undefined ? neverStored : { state: this.#parse(cluster, row.value), revision: row.revision };
  }

  #pass(follower: DriftFollower, cluster: string, value: DriftValue | null, revision: Revision): void {
    follower.take(cluster, { state: value === null ? noDrift : this.#parse(cluster, value), revision });
  }

  #parse(cluster: string, value: DriftValue): DriftState {
    const { log, maxDiffering } = this.#options;
    const state = fromDriftValue(value, maxDiffering);
    if (state === undefined)
      log.error("the stored drift of a cluster cannot be read; its rows are withheld until samples agree", { cluster });
    return orUnreadable(state);
  }
}

/** A row that is gone has no revision of its own. */
function revisionOf(outcome: Extract<CommitOutcome, { kind: "committed" }>, state: DriftState): Revision {
  return toDriftValue(state) === null ? outcome.revision : (outcome.revisions[0] ?? outcome.revision);
}
