// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import { LiveBudget } from "../../index/live/live-budget.ts";
import type { LiveFleet } from "../../index/live/live-request.ts";
import { createPagePositions } from "../../index/live/page-position.ts";
import { TableSlots } from "../../index/live/table-slots.ts";
import type { MacFunction } from "../../index/query/cursor-codec.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import type { LiveQuery, LiveQueryUpdate } from "../rows/fleet-queries.ts";
import type { FleetAccess } from "./fleet-access.ts";
import type { LiveGroup } from "./live-group.ts";
import { LiveGroups } from "./live-groups.ts";
import { type LiveReader, toGroupedView } from "./live-reader.ts";
import { LiveRefreshes } from "./live-refreshes.ts";
import { LiveUpdates } from "./live-updates.ts";
import type { QueryViewer, ReadQuery } from "./query-runs.ts";

export interface LiveEngineOptions {
  readonly tables: FleetTables;
  readonly access: FleetAccess;
  /** Reads and checks the text of a query. Throws INVALID_ARGUMENT. */
  readonly read: (text: string, by: QueryViewer) => ReadQuery;
  /** The fields of every registered cluster, with or without rows. */
  readonly clusterFields: ReadonlyMap<string, ClusterFields>;
  readonly clock: Pick<Clock, "nowMs" | "wallMs" | "setTimer">;
  /** Resolves after other work of the thread had the chance to run. */
  readonly pause: () => Promise<void>;
  /** Makes positions, with `mac`. */
  readonly positionKey: Uint8Array;
  readonly mac: MacFunction;
  readonly budget?: LiveBudget;
  readonly sizes?: Pick<LiveFleet, "sliceRows" | "spareRows" | "wholeAgeMs"> & {
    /** The bound of the changes that are kept for all views. */
    readonly maxLogBytes?: number;
  };
}

/** Most open views: four of each of 500 users. */
const maxLiveViews = 2_000;

/** Most open views of one user. */
const maxLiveViewsPerUser = 100;

/** Most rows of all open views, by their limits. A row of a view takes some 250 bytes: 100 MB in all. */
const maxLiveRows = 400_000;

/** How long a call waits for an update. The hub's own permissions are looked up between two calls. */
const maxWaitMs = 4_000;

/** A view that is not read for this time is closed. */
const maxUnreadMs = 60_000;

/**
 * The live views of all users, in the index thread. A reader calls `next` again and again; each call answers with what
 * changed since the last one. Nothing is queued for a reader, however slow it is (L13).
 */
export class LiveEngine {
  readonly #options: LiveEngineOptions;
  readonly #groups: LiveGroups<LiveReader>;
  readonly #updates: LiveUpdates;
  readonly #refreshes: LiveRefreshes;
  readonly #readers = new Map<number, LiveReader>();
  readonly #viewCounts = new Map<string, number>();
  /** The sum of the limits of open views. */
  #rowCount = 0;
  #lastId = 0;

  constructor(options: LiveEngineOptions) {
    const { tables, access, clock, pause, positionKey, mac, budget = new LiveBudget() } = options;
    const { maxLogBytes, ...sizes } = options.sizes ?? {};
    this.#options = options;
    const slots = new TableSlots(maxLogBytes);
    tables.reportDeltas(slots);
    const accessVersion = (): number => access.version;
    const fleet = { fleet: tables, slots, budget, accessVersion, ...sizes };
    this.#groups = new LiveGroups({ fleet, access, clock });
    const positions = createPagePositions(positionKey, mac);
    this.#updates = new LiveUpdates({ ...options, positions, nowMs: () => clock.nowMs() });
    this.#refreshes = new LiveRefreshes({
      fleet,
      access,
      groups: this.#groups,
      clock,
      pause,
      deliver: (reader) => this.#deliver(reader),
      fail: (group, reason) => this.#fail(group, reason),
    });
  }

  /** Rows or grants may have changed. Without this call readers get the change later, up to the time that a call waits. */
  noteChange(): void {
    this.#refreshes.noteChange();
  }

  /** The fields of a registered cluster changed, or a cluster was registered or removed. */
  noteFields(): void {
    this.#updates.noteFields();
    for (const group of this.#groups.all) this.#groups.news.add(group);
    this.#refreshes.noteChange();
  }

  /**
   * Opens a view. Throws INVALID_ARGUMENT for a mistake in its query, and OVERLOADED if too many are open. The position
   * of another user or query, or one that is too old, begins with a snapshot.
   */
  open(by: QueryViewer, query: LiveQuery): { readonly id: number } {
    const checked = this.#options.read(query.text, by);
    const { binding, ...view } = toGroupedView(checked, by, query);
    this.#countView(binding.user, query.limit);
    this.#refreshes.update();
    this.#lastId += 1;
    const reader: LiveReader = {
      ...view,
      id: this.#lastId,
      binding,
      resources: checked.resources,
      resumedFrom: query.position,
      page: undefined,
      shown: undefined,
      seen: undefined,
      covered: undefined,
      positions: [],
      waiting: undefined,
      cancelTimer: () => undefined,
      failure: undefined,
    };
    this.#readers.set(reader.id, reader);
    this.#updates.resume(reader);
    this.#groups.join(reader);
    this.#closeIfUnread(reader);
    return { id: reader.id };
  }

  /**
   * What changed since the last call; undefined if nothing does for 4 s. The first call answers with a snapshot, or
   * with what changed since the position. `change` are the clusters that the hub shows to the user from now on. Throws
   * GONE for a view that was closed, and TOO_LARGE as the query itself does.
   */
  async next(id: number, change?: Pick<QueryViewer, "clusters">): Promise<LiveQueryUpdate | undefined> {
    const reader = this.#readers.get(id);
    if (reader === undefined) throw viewGone();
    reader.cancelTimer();
    reader.waiting?.resolve(undefined);
    reader.waiting = undefined;
    if (reader.failure !== undefined) {
      this.close(id);
      throw reader.failure;
    }
    if (change !== undefined) this.#setClusters(reader, change.clusters);
    const update = this.#take(reader);
    if (update !== undefined) {
      this.#closeIfUnread(reader);
      return update;
    }
    return new Promise((resolve, reject) => {
      reader.waiting = { resolve, reject };
      reader.cancelTimer = this.#options.clock.setTimer(maxWaitMs, () => this.#answer(reader, undefined));
      this.#refreshes.noteWaiting(reader);
    });
  }

  /** Closes a view. A call that waits is answered with undefined. An unknown view is not an error. */
  close(id: number): void {
    const reader = this.#readers.get(id);
    if (reader === undefined) return;
    this.#readers.delete(id);
    const { user } = reader.binding;
    const count = (this.#viewCounts.get(user) ?? 0) - 1;
    if (count > 0) this.#viewCounts.set(user, count);
    else this.#viewCounts.delete(user);
    this.#rowCount -= reader.question.limit;
    reader.cancelTimer();
    reader.waiting?.resolve(undefined);
    reader.waiting = undefined;
    this.#groups.leave(reader);
    this.#updates.leave(reader);
  }

  /** Closes all views. */
  closeAll(): void {
    this.#refreshes.close();
    for (const id of this.#readers.keys()) this.close(id);
    this.#groups.close();
  }

  /** A failure ends this view only. */
  #deliver(reader: LiveReader): void {
    if (reader.waiting === undefined) return;
    try {
      const update = this.#take(reader);
      if (update !== undefined) this.#answer(reader, update);
    } catch (reason) {
      this.#failReader(reader, reason instanceof Error ? reason : new Error(String(reason)));
    }
  }

  #take(reader: LiveReader): LiveQueryUpdate | undefined {
    const group = this.#groups.get(reader);
    const state = group?.result.state;
    if (group === undefined || state === undefined) return undefined;
    // Rows of grants that were revoked are not sent, not even late (L17).
    const taken = this.#refreshes.isCurrent(group) ? this.#updates.take(reader, state) : "outdated";
    if (taken !== "outdated") return taken;
    this.#refreshes.noteOutdated(group);
    return undefined;
  }

  #answer(reader: LiveReader, update: LiveQueryUpdate | undefined): void {
    const { waiting } = reader;
    reader.cancelTimer();
    reader.waiting = undefined;
    this.#closeIfUnread(reader);
    waiting?.resolve(update);
  }

  #fail(group: LiveGroup<LiveReader>, reason: Error): void {
    const readers = [...group.views];
    this.#groups.drop(group);
    for (const reader of readers) this.#failReader(reader, reason);
  }

  #failReader(reader: LiveReader, reason: Error): void {
    reader.failure = reason;
    const { waiting } = reader;
    if (waiting === undefined) return;
    reader.waiting = undefined;
    this.close(reader.id);
    waiting.reject(reason);
  }

  #setClusters(reader: LiveReader, clusters: ReadonlySet<string> | undefined): void {
    reader.by = { ...reader.by, clusters };
    this.#groups.leave(reader);
    this.#groups.join(reader);
  }

  #closeIfUnread(reader: LiveReader): void {
    reader.cancelTimer = this.#options.clock.setTimer(maxUnreadMs, () => this.close(reader.id));
  }

  #countView(user: string, limit: number): void {
    const count = this.#viewCounts.get(user) ?? 0;
    if (count >= maxLiveViewsPerUser)
      throw new FlotillaError("OVERLOADED", `you have ${maxLiveViewsPerUser} live views open; close one of them`);
    if (this.#readers.size >= maxLiveViews)
      throw new FlotillaError("OVERLOADED", `the hub has ${maxLiveViews} live views open; try again later`);
    if (this.#rowCount + limit > maxLiveRows)
      throw new FlotillaError(
        "OVERLOADED",
        `the live views of the hub have ${this.#rowCount} of at most ${maxLiveRows} rows; lower the limit or try again later`,
      );
    this.#viewCounts.set(user, count + 1);
    this.#rowCount += limit;
  }
}

function viewGone(): FlotillaError {
  const sentence = `the live view is closed, because it was not read for ${maxUnreadMs / 1_000} s`;
  return new FlotillaError("GONE", `${sentence}; open it again with the position of its last update`);
}
