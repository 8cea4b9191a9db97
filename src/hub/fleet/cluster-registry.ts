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
  /** Runs each listener; left out, what fails there reaches the caller. */
  readonly guard?: TaskGuard;
}

/** A store that cannot be read for a moment is asked again soon: a revocation waits for it. */
const followBackoff = { firstMs: 100, factor: 2, capMs: 5_000, stableMs: 10_000 };

/** Writers of one record are few; more conflicts in a row mean that something else is wrong. */
const maxAttemptCount = 8;

/** Told of a record that changed, or of an id whose record is gone. */
export type ClusterListener = (id: string, record: ClusterRecord | undefined) => void;

/** The registered clusters, as of the store's watch; `run` keeps it current. What must be exact is read from the store. */
export class ClusterRegistry {
  readonly #options: ClusterRegistryOptions;
  readonly #byId = new Map<string, ClusterRecord>();
  readonly #listeners = new Set<ClusterListener>();
  readonly #loading = Promise.withResolvers<void>();
  readonly #updates = new KeyedMutex();

  constructor(options: ClusterRegistryOptions) {
    this.#options = options;
  }

  /** Resolves once the clusters of the store are known. */
  get loaded(): Promise<void> {
    return this.#loading.promise;
  }

  /** Every registered cluster, as far as the watch has come. */
  list(): readonly ClusterRecord[] {
    return [...this.#byId.values()];
  }

  get(id: string): ClusterRecord | undefined {
    return this.#byId.get(id);
  }

  /** Calls back for every change the watch brings; what it returns ends that. */
  listen(listener: ClusterListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The record as the store has it now. */
  async load(id: string): Promise<ClusterRecord | undefined> {
    const { store } = this.#options;
    const row = await store.get(clusters, [store.workspace, id]);
    return row === undefined ? undefined : toClusterRecord(id, row.revision, row.value);
  }

  /**
   * Reads, changes and writes a record, again while another hub writes in between; administrative changes are audited as the
   * actor's (AU1). Undefined from `change` leaves the record. Updates of one cluster are applied in the order of the calls: each
   * reads what those before it wrote (SE50). Throws NOT_FOUND or CONFLICT.
   */
  update(
    id: string,
    change: (record: ClusterRecord) => ClusterRecord | undefined,
    by: Actor = hubActor,
  ): Promise<ClusterRecord> {
    return this.#updates.run(id, () => this.#update(id, change, by));
  }

  /** Follows the store until the signal aborts. Rejects with the signal's reason, or with what cannot pass. */
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
