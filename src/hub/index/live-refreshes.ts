// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { LiveFleet } from "../../index/live/live-request.ts";
import type { RefreshScope } from "../../index/live/live-result.ts";
import type { FleetAccess } from "./fleet-access.ts";
import type { LiveGroup } from "./live-group.ts";
import type { LiveGroups } from "./live-groups.ts";
import type { LiveReader } from "./live-reader.ts";
import { type DueRefresh, LiveSchedule, type RefreshKind } from "./live-schedule.ts";

type Group = LiveGroup<LiveReader>;

export interface LiveRefreshesOptions {
  readonly fleet: LiveFleet;
  readonly access: Pick<FleetAccess, "version" | "changedSince">;
  readonly groups: LiveGroups<LiveReader>;
  readonly clock: Pick<Clock, "nowMs" | "wallMs" | "setTimer">;
  readonly pause: () => Promise<void>;
  /** Gives a waiting reader what is new. */
  readonly deliver: (reader: LiveReader) => void;
  /** Ends the views of a group. */
  readonly fail: (group: Group, reason: Error) => void;
}

/** The least time between two comparisons of all tables: each takes about 0.1 ms with 3,600 tables. */
const scanIntervalMs = 50;

/** Groups whose members' grants are compared before other work may run: about 1 ms. */
const checksPerTurn = 32;

/** A refresh in several slices is repeated, for what changed meanwhile, until one slice is enough: then it is current. */
const maxRounds = 4;

/** The most slices of the last round. They run without a pause: about 10 ms. */
const maxLastSlices = 5;

/** Refreshes the groups of live views one at a time, in slices, as `LiveSchedule` decides, and gives readers the result. */
export class LiveRefreshes {
  readonly #options: LiveRefreshesOptions;
  readonly #schedule: LiveSchedule;
  /** The version of the grants that slots are of. */
  #seenAccess: number;
  /** The version of the slots at which the grants of all groups were compared last. */
  #checkedAccess = 0;
  /** Tables may have changed since the last scan. */
  #isStale = true;
  #scanDueMs = 0;
  #isRunning = false;
  #isClosed = false;
  #timer: { readonly atMs: number; readonly cancel: CancelTimer } | undefined;

  constructor(options: LiveRefreshesOptions) {
    this.#options = options;
    this.#schedule = new LiveSchedule(options.groups, options.clock);
    this.#seenAccess = options.access.version;
  }

  /** Rows, fields or grants may have changed. */
  noteChange(): void {
    this.#isStale = true;
    if (!this.#isRunning) this.#arm();
  }

  /** The state of a group could not be shown, because rows or grants have changed. It is tried again when it is newer. */
  noteOutdated(group: Group): void {
    this.#options.groups.news.add(group);
    this.#isStale = true;
  }

  /** A reader waits for an update. */
  noteWaiting(reader: LiveReader): void {
    const { fleet, groups, clock } = this.#options;
    const group = groups.get(reader);
    if (group === undefined || this.#isRunning) return;
    const { result } = group;
    const isChecked = this.#checkedAccess >= fleet.slots.accessVersion && !result.hasOldAccess();
    const canWait = isChecked && !groups.news.has(group) && !this.#isStale;
    if (canWait && !result.isBehind(clock.wallMs()) && result.nextAgeChangeMs === Number.POSITIVE_INFINITY) return;
    this.#start();
  }

  /** Brings the list of tables up to date. */
  update(): void {
    this.#noteAccess();
    this.#scan();
  }

  /**
   * Whether the state of a group may be shown: its grants, and those of all members, are the present ones, and its rows
   * are not older than the interval of the group.
   */
  isCurrent({ checkedAccess, result, dueAtMs }: Group): boolean {
    const { fleet, clock } = this.#options;
    this.#noteAccess();
    if (checkedAccess < fleet.slots.accessVersion || result.hasOldAccess()) return false;
    return dueAtMs > clock.nowMs() || (!this.#isStale && !result.isBehind(clock.wallMs()));
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #start(): void {
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    void this.#run();
  }

  /** Does what there is to do now, in turns with other work. An unexpected failure ends all views, not the thread. */
  async #run(): Promise<void> {
    const { groups, fail } = this.#options;
    try {
      await this.#runDue();
    } catch (reason) {
      for (const group of groups.all) fail(group, toError(reason));
    } finally {
      this.#isRunning = false;
    }
    this.#arm();
  }

  async #runDue(): Promise<void> {
    const { clock, groups, pause } = this.#options;
    while (!this.#isClosed) {
      this.#noteAccess();
      // Slots that are in use have changes recorded, so none are filled after the last view has gone.
      if (groups.all.size > 0 && this.#isStale && clock.nowMs() >= this.#scanDueMs) this.#scan();
      await this.#checkAccess();
      // A group that cannot be shown yet is added again.
      for (const group of Array.from(groups.news)) this.#deliver(group);
      const due = this.#schedule.findDue();
      if (due === undefined) return;
      await this.#refresh(due);
      await pause();
    }
  }

  #noteAccess(): void {
    const { access, fleet } = this.#options;
    if (access.version === this.#seenAccess) return;
    fleet.slots.noteAccess(access.changedSince(this.#seenAccess));
    this.#seenAccess = access.version;
  }

  #scan(): void {
    const { fleet, clock } = this.#options;
    fleet.slots.update(fleet.fleet);
    this.#isStale = false;
    this.#scanDueMs = clock.nowMs() + scanIntervalMs;
  }

  /** Moves readers whose grants differ from those of their group. */
  async #checkAccess(): Promise<void> {
    const { fleet, groups, pause } = this.#options;
    if (this.#checkedAccess === fleet.slots.accessVersion) return;
    this.#checkedAccess = fleet.slots.accessVersion;
    let count = 0;
    for (const group of groups.all) {
      groups.moveOthers(group);
      count += 1;
      if (count % checksPerTurn === 0) await pause();
    }
  }

  /** Gives the readers of a group the state that they do not have, unless it is not to be shown yet. */
  #deliver(group: Group): void {
    const { groups, clock, deliver } = this.#options;
    const { result, views } = group;
    if (result.state === undefined || !this.isCurrent(group)) return;
    groups.news.delete(group);
    const beganMs = clock.nowMs();
    for (const reader of views) deliver(reader);
    result.releaseRows();
    group.deliveryMs += clock.nowMs() - beganMs;
  }

  async #refresh({ group, scope }: DueRefresh): Promise<void> {
    const { groups, fail } = this.#options;
    const { result } = group;
    const kind = kindOf(result);
    let costMs = 0;
    try {
      let sliceCount = 0;
      for (let round = 1; round <= maxRounds && group.views.size > 0; round += 1) {
        const canPause = round < maxRounds || sliceCount > maxLastSlices;
        const ran = await this.#runSlices(group, scope, canPause);
        costMs += ran.costMs;
        sliceCount = ran.sliceCount;
        if (sliceCount === 1 || result.isWhole) break;
        this.update();
      }
    } catch (reason) {
      fail(group, toError(reason));
      return;
    }
    if (!groups.all.has(group)) return;
    if (scope === "all") this.#schedule.noteRefreshed(group, costMs, kind);
    groups.news.add(group);
    // Before other work can change the rows that are sent.
    this.#deliver(group);
  }

  async #runSlices(
    group: Group,
    scope: RefreshScope,
    canPause: boolean,
  ): Promise<{ readonly costMs: number; readonly sliceCount: number }> {
    const { clock, pause } = this.#options;
    const work = group.result.refresh(clock.wallMs(), scope);
    let [costMs, sliceCount] = [0, 0];
    for (;;) {
      const beganMs = clock.nowMs();
      const { done } = work.next();
      costMs += clock.nowMs() - beganMs;
      sliceCount += 1;
      if (done === true || group.views.size === 0) return { costMs, sliceCount };
      if (canPause) await pause();
    }
  }

  #arm(): void {
    if (this.#isClosed) return;
    const nowMs = this.#options.clock.nowMs();
    const isUrgent = this.#options.access.version !== this.#seenAccess;
    if (!isUrgent && this.#timer !== undefined && this.#timer.atMs <= nowMs + scanIntervalMs) return;
    const atMs = this.#nextAtMs(nowMs, isUrgent);
    if (atMs === Number.POSITIVE_INFINITY || (this.#timer !== undefined && this.#timer.atMs <= atMs)) return;
    this.#timer?.cancel();
    const cancel = this.#options.clock.setTimer(Math.max(0, atMs - nowMs), () => {
      this.#timer = undefined;
      this.#start();
    });
    this.#timer = { atMs, cancel };
  }

  /** When there is something to do; Infinity if a change has to come first. */
  #nextAtMs(nowMs: number, isUrgent: boolean): number {
    if (isUrgent) return this.#schedule.hasAwaited() ? nowMs : Number.POSITIVE_INFINITY;
    return this.#schedule.nextDueMs(this.#isStale ? this.#scanDueMs : Number.POSITIVE_INFINITY);
  }
}

function kindOf({ state, canFollow, readsTables }: Group["result"]): RefreshKind {
  if (state === undefined) return "first";
  return canFollow || readsTables ? "usual" : "late";
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
