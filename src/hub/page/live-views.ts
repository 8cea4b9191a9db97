// SPDX-License-Identifier: Apache-2.0
// Refreshes all live views step by step while there are viewers: a step reads rows, then encodes.
import { orAborted } from "../../base/abort.ts";
import { FlotillaError, hasCode } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import { guardAsync, type TaskGuard } from "../../base/task-guard.ts";
import type { CancelTimer } from "../../base/time/clock.ts";
import type { Subscription } from "../../gen/flotilla/page/v1/page_pb.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { Subject } from "../../model/subject.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import { assertClustersKnown, findFleetKind } from "../fleet-services/find-kind.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";
import type { SessionHandlers } from "../sessions/session-events.ts";
import type { ViewReader } from "./live-view.ts";
import { heartbeatMs, stepMs } from "./page-limits.ts";
import type { PageMetrics } from "./page-metrics.ts";
import type { PageRecords } from "./page-records.ts";
import { ScopeCache } from "./scope-cache.ts";
import { type UserScope, UserScopes } from "./user-scopes.ts";
import { createChangeFilter, type KnownNames } from "./views/change-filter.ts";
import { ChangesView } from "./views/changes-view.ts";
import { toSessionEntry, toStateEntry } from "./views/cluster-history.ts";
import { ClusterPages } from "./views/cluster-pages.ts";
import { FleetEntries } from "./views/fleet-entries.ts";
import { FleetView } from "./views/fleet-view.ts";

export interface LiveViewsOptions {
  readonly parts: FleetParts;
  readonly records: PageRecords;
  readonly authorizer: CallAuthorizer;
  readonly log: Logger;
  /** Runs each part of a step; a failure affects only its cluster or view. */
  readonly guard: TaskGuard;
  /** Identifies this run of the hub in positions. */
  readonly runId: string;
  readonly metrics: PageMetrics;
}

/** One viewer. */
export interface LiveViewer {
  /** Creates the reader of a subscription. Throws INVALID_ARGUMENT for an unknown view or an invalid filter. */
  read(subscription: Subscription): ViewReader;
  close(): void;
}

/** All live views. Idle while there are no viewers. */
export class LiveViews {
  readonly #options: LiveViewsOptions;
  readonly #scopes = new ScopeCache();
  readonly #users: UserScopes;
  readonly #entries: FleetEntries;
  readonly #fleetView: FleetView;
  readonly #pages: ClusterPages;
  readonly #changes: ChangesView;
  readonly #viewers = new Set<() => void>();
  #cancel: CancelTimer | undefined;
  /** The read of the current step and the refresh after it; undefined if none is running. */
  #reading: Promise<void> | undefined;
  /** The read of a new viewer's access; undefined if none is running. */
  #admitting: Promise<unknown> | undefined;
  #step = 0;
  /** The place in the list of clusters at which the next slice of the sweep begins. */
  #sweptCount = 0;

  constructor(options: LiveViewsOptions) {
    this.#options = options;
    const { parts, records, runId, metrics, log, authorizer, guard } = options;
    const { agents, strips, incidents } = records;
    this.#entries = new FleetEntries({ parts, agents, strips, incidents, guard });
    const { entries } = this.#entries;
    this.#fleetView = new FleetView({
      runId,
      scopes: this.#scopes,
      entries,
      incidents,
      onEncoded: (bytes) => metrics.encoded("fleet", bytes),
    });
    this.#pages = new ClusterPages({
      parts,
      agents,
      entries,
      runId,
      log,
      guard,
      loadHistory: async (cluster) => {
        const sessions = await records.sessions.list(cluster);
        const states = await records.transitions.list(parseClusterId(cluster), { limit: 1_000 });
        return [...sessions.map(toSessionEntry), ...states.map(toStateEntry)].reverse();
      },
      onEncoded: (bytes) => metrics.encoded("cluster", bytes),
      readAccess: () => this.#users.readAccess(parts.fleet.reader),
    });
    this.#changes = new ChangesView({ parts, onEncoded: (bytes) => metrics.encoded("changes", bytes) });
    this.#users = new UserScopes({
      authorizer,
      log,
      scopes: this.#scopes,
      nowMs: () => parts.clock.nowMs(),
      clusters: () => entries.keys(),
    });
    records.listen({
      changed: (cluster) => this.#entries.touch(cluster),
      happened: (cluster, entry) => this.#pages.addHistory(cluster, entry),
    });
  }

  /** Marks the clusters whose sessions changed. To be subscribed after the records' own handlers. */
  readonly handlers = {
    heartbeat: ({ session }) => this.#entries.noteHeard(session.cluster),
    kindStatuses: ({ session }) => this.#entries.touch(session.cluster),
    compared: ({ session }) => this.#entries.touch(session.cluster),
    queued: ({ session }) => this.#entries.touch(session.cluster),
    applied: ({ session, flush, nowMs }) => {
      this.#entries.touch(session.cluster);
      this.#pages.addRates(session.cluster, flush.kinds, nowMs);
    },
  } satisfies SessionHandlers;

  /** Number of refreshes so far. */
  get step(): number {
    return this.#step;
  }

  /** Adds a viewer; `wake` is called after every step. The caller must close it. */
  open(subject: Subject, wake: () => void): LiveViewer {
    const isFirst = this.#viewers.size === 0;
    // A scope is computed from the entries, so they must exist before the user is opened.
    if (isFirst) {
      this.#touchAll();
      this.#refresh();
    }
    this.#viewers.add(wake);
    const { user, close } = this.#users.open(subject);
    if (isFirst) this.#restart();
    else if (this.#users.hasUnread) this.#admit();
    return {
      read: (subscription) => this.#read(subscription, user),
      close: () => {
        close();
        this.#viewers.delete(wake);
        if (this.#viewers.size === 0) this.#cancel?.();
      },
    };
  }

  /** Loads what earlier runs of the hub stored about the registered clusters. */
  async load(signal: AbortSignal): Promise<void> {
    const { parts, records } = this.#options;
    const { fleet, health } = parts;
    await orAborted(fleet.clusters.loaded, signal);
    records.agents.load(await fleet.claims.list());
    const known = fleet.clusters.list().map(({ id, createdAtMs }) => {
      return { id, createdAtMs, state: health.get(parseClusterId(id))?.connection.state ?? "" };
    });
    await records.strips.load(known, signal);
    records.sessions.noteWatched();
    this.#touchAll();
  }

  /** Resolves when no load from the store is running. */
  settled(): Promise<void> {
    return this.#pages.settled();
  }

  /** Marks a cluster as possibly changed. */
  touch(cluster: string): void {
    this.#entries.touch(cluster);
  }

  #read({ position, view }: Subscription, user: UserScope): ViewReader {
    switch (view.case) {
      case "fleet":
        return this.#fleetView.open(
          position,
          () => user.scope,
          () => this.#untilRead(),
        );
      case "cluster":
        return this.#pages.open(view.value.clusterId, position, user);
      case "changes": {
        const createFilter = createChangeFilter(view.value);
        return this.#changes.open(position, () => createFilter(this.#visibleNames(user)), user);
      }
      default:
        throw new FlotillaError("INVALID_ARGUMENT", "a subscription must name a view: fleet, cluster or changes");
    }
  }

  /** Resolves names among the clusters that the viewer may see and their kinds; others are unknown to it (PG12). */
  #visibleNames({ scope, subject }: UserScope): KnownNames {
    const { parts } = this.#options;
    return {
      assertClusters: (wanted) => assertClustersKnown(scope.ids, wanted),
      findKind: (name) => findKindOrName(parts, subject, [...scope.ids], name),
    };
  }

  /** Resolves when the rows of all viewers were read; undefined if that is so. */
  #untilRead(): Promise<void> | undefined {
    return this.#admitting === undefined ? this.#reading : this.#admitting.then(() => undefined);
  }

  /** Reads what a new viewer may see. A step follows at once if that was not read for others before. */
  #admit(): void {
    const { guard, parts } = this.#options;
    const admitting = guardAsync(guard, "page access", async () => {
      const readers = await this.#users.readAccess(parts.fleet.reader);
      if (this.#entries.hasRead(readers)) return;
      this.#restart();
      await this.#reading;
    });
    this.#admitting = admitting;
    void admitting.finally(() => {
      if (this.#admitting === admitting) this.#admitting = undefined;
    });
  }

  /** Begins a step at once. */
  #restart(): void {
    this.#cancel?.();
    this.#tick();
  }

  /**
   * The next step is scheduled first, so that a failure cannot stop the loop. A step whose predecessor is still reading
   * rows reads none and shows the rest: a slow reader delays rows only.
   */
  #tick(): void {
    this.#cancel = this.#options.parts.clock.setTimer(stepMs, () => this.#tick());
    if (this.#reading === undefined) this.#reading = this.#readAndShow();
    else this.#show();
  }

  async #readAndShow(): Promise<void> {
    await guardAsync(this.#options.guard, "page rows", () => this.#readRows());
    this.#reading = undefined;
    if (this.#viewers.size > 0) this.#show();
  }

  async #readRows(): Promise<void> {
    this.#touchSlice();
    const readers = await this.#users.readAccess(this.#options.parts.fleet.reader);
    await Promise.all([this.#entries.readRows(readers), this.#pages.readRows(readers)]);
  }

  #show(): void {
    this.#refresh();
    for (const wake of this.#viewers) this.#options.guard.run("page wake", wake);
  }

  /** Each part runs under its own guard: a failing one leaves the others current. */
  #refresh(): void {
    const { guard } = this.#options;
    this.#step += 1;
    let membershipChanged = false;
    guard.run("page fleet", () => {
      membershipChanged = this.#entries.refresh(this.#step);
    });
    guard.run("page access", () => this.#users.refresh(membershipChanged));
    guard.run("page fleet view", () => this.#fleetView.refresh(this.#step));
    guard.run("page clusters", () => this.#pages.refresh(this.#step));
    guard.run("page changes", () => this.#changes.refresh());
  }

  /** Marks every cluster: at a start, and for the first viewer after a pause. */
  #touchAll(): void {
    for (const { id } of this.#options.parts.fleet.clusters.list()) this.#entries.touch(id);
  }

  /**
   * Sweeps for changes without a notification, such as grants that became complete: a slice per step keeps each step
   * short.
   */
  #touchSlice(): void {
    const clusters = this.#options.parts.fleet.clusters.list();
    const end = this.#sweptCount + Math.ceil((clusters.length * stepMs) / heartbeatMs);
    for (const { id } of clusters.slice(this.#sweptCount, end)) this.#entries.touch(id);
    this.#sweptCount = end < clusters.length ? end : 0;
  }
}

/**
 * The kind's resource id. While rows are being loaded, an unknown name is taken as a resource id, so that a page
 * reconnecting after a restart is not refused.
 */
async function findKindOrName(
  parts: FleetParts,
  subject: Subject,
  clusters: readonly string[],
  name: string,
): Promise<string> {
  try {
    return await findFleetKind(parts, subject, clusters, name);
  } catch (reason) {
    if (hasCode(reason, "UNAVAILABLE")) return name;
    throw reason;
  }
}
