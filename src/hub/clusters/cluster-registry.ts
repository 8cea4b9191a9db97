// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import type { Random } from "../../base/random.ts";
import { passingGuard, type TaskGuard } from "../../base/task-guard.ts";
import type { Clock } from "../../base/time/clock.ts";
import { quote } from "../../model/text.ts";
import { followTable } from "../../store/follow-table.ts";
import { put, type Store } from "../../store/store.ts";
import { clusters } from "../../store/tables.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { type Actor, hubActor } from "../audit/audit-record.ts";
import { describeClusterUpdate } from "../audit/describe-cluster.ts";
import { type ClusterRecord, toClusterRecord, toClusterValue } from "./cluster-record.ts";

export interface ClusterRegistryOptions {
  readonly store: Store;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Runs each listener. Without it, errors of a listener reach the caller. */
  readonly guard?: TaskGuard;
}

/** A record has few writers. More conflicts in a row indicate another fault. */
const maxAttemptCount = 8;

/** Called with a changed record, or with undefined for a removed one. */
export type ClusterListener = (id: string, record: ClusterRecord | undefined) => void;

/**
 * The registered clusters as delivered by the store's watch; `run` keeps them current. Reads that must be exact use
 * `load`.
 */
export class ClusterRegistry {
  readonly #options: ClusterRegistryOptions;
  readonly #byId = new Map<string, ClusterRecord>();
  readonly #listeners = new Set<ClusterListener>();
  readonly #loading = Promise.withResolvers<void>();
  readonly #updates = new KeyedMutex();

  constructor(options: ClusterRegistryOptions) {
    this.#options = options;
  }

  /** Resolves when the clusters have been read from the store for the first time. */
  get loaded(): Promise<void> {
    return this.#loading.promise;
  }

  /** All registered clusters delivered by the watch so far. */
  list(): readonly ClusterRecord[] {
    return [...this.#byId.values()];
  }

  get(id: string): ClusterRecord | undefined {
    return this.#byId.get(id);
  }

  /** Calls the listener for every change that the watch delivers. The returned function unsubscribes it. */
  listen(listener: ClusterListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads the current record from the store. */
  async load(id: string): Promise<ClusterRecord | undefined> {
    const { store } = this.#options;
    const row = await store.get(clusters, [store.workspace, id]);
    return row === undefined ? undefined : toClusterRecord(id, row.revision, row.value);
  }

  /**
   * Reads, changes and writes a record, and retries if another hub writes in between. Administrative changes are
   * audited with the actor (AU1). If `change` returns undefined or the same record, nothing is written. Updates of one
   * cluster run in the order of the calls: each reads what those before it wrote (SE50). Throws NOT_FOUND or CONFLICT.
   */
  update(
    id: string,
    change: (record: ClusterRecord) => ClusterRecord | undefined,
    by: Actor = hubActor,
  ): Promise<ClusterRecord> {
    return this.#updates.run(id, () => this.#update(id, change, by));
  }

  /**
   * Follows the store until the signal aborts. Rejects with the signal's reason, or with an error that is not
   * transient.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, random, log } = this.#options;
    const what = "following the clusters in the store";
    await followTable(
      { store, table: clusters, prefix: [store.workspace], what, clock, random, log },
      {
        ids: () => this.#byId.keys(),
        set: (id, value, at) => this.#set(id, value === null ? undefined : toClusterRecord(id, at, value)),
        listed: () => this.#loading.resolve(),
      },
      signal,
    );
  }

  async #update(
    id: string,
    change: (record: ClusterRecord) => ClusterRecord | undefined,
    by: Actor,
  ): Promise<ClusterRecord> {
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const record = await this.load(id);
      if (record === undefined) throw clusterNotFound(id);
      const changed = change(record);
      if (changed === undefined || changed === record) return record;
      const write = put(clusters, [this.#options.store.workspace, id], toClusterValue(changed), record.revision);
      const outcome = await this.#options.audit.commit([write], describeClusterUpdate(record, changed), by);
      if (outcome.kind === "committed") return { ...changed, revision: outcome.revisions[0] ?? outcome.revision };
    }
    throw changedByOthers(id);
  }

  #set(id: string, record: ClusterRecord | undefined): void {
    if (record !== undefined && this.#byId.get(id)?.revision === record.revision) return;
    if (record === undefined) this.#byId.delete(id);
    else this.#byId.set(id, record);
    const { guard = passingGuard } = this.#options;
    for (const listener of this.#listeners)
      guard.run("listener of clusters", () => listener(id, record), { cluster: id });
  }
}

/** NOT_FOUND: the cluster is not registered. */
export function clusterNotFound(id: string): FlotillaError {
  const sentence = `there is no cluster ${quote(id)}; \`flotilla cluster list\` shows the registered ones`;
  return new FlotillaError("NOT_FOUND", sentence, { ids: { cluster: id } });
}

/** CONFLICT: each attempt to write the cluster met another writer. */
export function changedByOthers(id: string): FlotillaError {
  return new FlotillaError("CONFLICT", `cluster ${id} is being changed by other requests; try again`, {
    ids: { cluster: id },
  });
}
