// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import { FlotillaError, hasCode } from "../../base/error.ts";
import { KeyedMutex } from "../../base/keyed-mutex.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { retry } from "../../base/retry.ts";
import { passingGuard, type TaskGuard } from "../../base/task-guard.ts";
import type { Revision } from "../../model/revision.ts";
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

/** The cap is low because a revocation takes effect only after the store is readable again. */
const followBackoff = { firstMs: 100, factor: 2, capMs: 5_000, stableMs: 10_000 };

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
   * audited with the actor (AU1). If `change` returns undefined, the record is not written. Updates of one cluster run
   * in the order of the calls: each reads what those before it wrote (SE50). Throws NOT_FOUND or CONFLICT.
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
    const { clock, random, log } = this.#options;
    const following = { what: "following the clusters in the store", clock, random, log, backoff: followBackoff };
    for (;;) await retry((inner, markHealthy) => this.#listAndWatch(inner, markHealthy), following, signal);
  }

  async #update(
    id: string,
    change: (record: ClusterRecord) => ClusterRecord | undefined,
    by: Actor,
  ): Promise<ClusterRecord> {
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const record = await this.load(id);
      if (record === undefined)
        throw new FlotillaError("NOT_FOUND", `there is no cluster ${id}`, { ids: { cluster: id } });
      const changed = change(record);
      if (changed === undefined) return record;
      const write = put(clusters, [this.#options.store.workspace, id], toClusterValue(changed), record.revision);
      const outcome = await this.#options.audit.commit([write], describeClusterUpdate(record, changed), by);
      if (outcome.kind === "committed") return { ...changed, revision: outcome.revisions[0] ?? outcome.revision };
    }
    throw beingChanged(id);
  }

  async #listAndWatch(signal: AbortSignal, markHealthy: () => void): Promise<void> {
    const { store } = this.#options;
    const revision = await this.#list();
    markHealthy();
    const from = store.cursor(revision);
    try {
      for await (const batch of store.watch(clusters, { prefix: [store.workspace], from, signal })) {
        for (const { key, value, revision: at } of batch.changes) {
          const id = key[1] ?? "";
          this.#set(id, value === null ? undefined : toClusterRecord(id, at, value));
        }
      }
    } catch (reason) {
      if (!hasCode(reason, "GONE")) throw reason;
    }
  }

  async #list(): Promise<Revision> {
    const { store } = this.#options;
    const listed = new Set<string>();
    let page = await store.list(clusters, { prefix: [store.workspace] });
    for (;;) {
      for (const { key, revision, value } of page.rows) {
        const id = key[1] ?? "";
        listed.add(id);
        if (this.#byId.get(id)?.revision !== revision) this.#set(id, toClusterRecord(id, revision, value));
      }
      const after = page.rows.at(-1)?.key;
      if (!page.more || after === undefined) break;
      page = await store.list(clusters, { prefix: [store.workspace], after, asOf: page.revision });
    }
    for (const id of this.#byId.keys()) if (!listed.has(id)) this.#set(id, undefined);
    this.#loading.resolve();
    return page.revision;
  }

  #set(id: string, record: ClusterRecord | undefined): void {
    if (record === undefined) this.#byId.delete(id);
    else this.#byId.set(id, record);
    const { guard = passingGuard } = this.#options;
    for (const listener of this.#listeners)
      guard.run("listener of clusters", () => listener(id, record), { cluster: id });
  }
}

function beingChanged(id: string): FlotillaError {
  return new FlotillaError("CONFLICT", `cluster ${id} is being changed by others; try again`, {
    ids: { cluster: id },
  });
}
