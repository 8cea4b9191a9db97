// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { LiveFleet } from "../../index/live/live-request.ts";
import type { RefreshScope } from "../../index/live/live-result.ts";
import { expectedCostMs, refreshIntervalMs, threadShare } from "../../index/live/refresh-interval.ts";
import type { FleetAccess } from "./fleet-access.ts";
import type { LiveGroup } from "./live-group.ts";
import type { LiveGroups } from "./live-groups.ts";
import type { LiveReader } from "./live-reader.ts";

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

/** How far views may be ahead of their share of the thread's time. Without it each refresh would wait for a timer. */
const burstMs = 20;

/** A refresh in several slices is repeated, for what changed meanwhile, until one slice is enough: then it is current. */
const maxRounds = 4;

/** The most slices of the last round. They run without a pause: about 10 ms. */
const maxLastSlices = 5;

/**
 * Decides when each group of live views is refreshed, and refreshes them one at a time, in slices. Groups whose grants
 * changed come first, then new ones, then those that have waited for their interval. Only groups with a waiting reader
 * are refreshed.
 */
export class LiveRefreshes {
  readonly #options: LiveRefreshesOptions;
  /** The version of the grants that slots are of. */
  #seenAccess: number;
  /** The version of the slots at which the grants of all groups were compared last. */
  #checkedAccess = 0;
  /** Tables may have changed since the last scan. */
  #isStale = true;
  #scanDueMs = 0;
  /** When the time that refreshes took is half of the time that has passed, if that is later than now. */
  #paidAtMs = 0;
  #isRunning = false;
  #isClosed = false;
  #timer: { readonly atMs: number; readonly cancel: CancelTimer } | undefined;

  constructor(options: LiveRefreshesOptions) {
    this.#options = options;
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
    this.start();
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

  /** Does what there is to do now, in turns with other work. */
  start(): void {
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    void this.#run();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async #run(): Promise<void> {
    const { clock, pause } = this.#options;
    try {
      while (!this.#isClosed) {
        this.#noteAccess();
        if (this.#isStale && clock.nowMs() >= this.#scanDueMs) this.#scan();
        await this.#checkAccess();
        this.#deliverNews();
        const next = this.#findNext();
        if (next === undefined) break;
        await this.#refresh(next.group, next.scope);
        await pause();
      }
    } finally {
      this.#isRunning = false;
    }
    this.#arm();
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

  /** Gives readers the states that they do not have, unless these are not to be shown yet. */
  #deliverNews(): void {
    const { groups, clock, deliver } = this.#options;
    // A group that cannot be shown is added again.
    const news = Array.from(groups.news);
    for (const group of news) {
      if (group.result.state === undefined || !this.isCurrent(group)) continue;
      groups.news.delete(group);
      const beganMs = clock.nowMs();
      for (const reader of group.views) deliver(reader);
      group.deliveryMs += clock.nowMs() - beganMs;
    }
  }

  #findNext(): { readonly group: Group; readonly scope: RefreshScope } | undefined {
    const { groups, clock } = this.#options;
    const [nowMs, wallMs] = [clock.nowMs(), clock.wallMs()];
    let fresh: Group | undefined;
    let due: Group | undefined;
    for (const group of groups.all) {
      if (!isAwaited(group)) continue;
      if (group.result.state === undefined) fresh ??= group;
      else if (group.result.hasOldAccess()) return { group, scope: "access" };
      else if (group.dueAtMs <= nowMs && group.dueAtMs < (due?.dueAtMs ?? Number.POSITIVE_INFINITY))
        if (group.result.isBehind(wallMs)) due = group;
    }
    const group = fresh ?? (this.#paidAtMs > nowMs + burstMs ? undefined : due);
    return group === undefined ? undefined : { group, scope: "all" };
  }

  async #refresh(group: Group, scope: RefreshScope): Promise<void> {
    const { clock, groups, fail } = this.#options;
    const { result } = group;
    const isFirst = result.state === undefined;
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
      fail(group, reason instanceof Error ? reason : new Error(String(reason)));
      return;
    }
    if (!groups.all.has(group)) return;
    groups.news.add(group);
    if (scope === "access") return;
    // The first refresh is a query like any other: the share is that of views that are open.
    if (!isFirst) this.#charge(group, costMs + group.deliveryMs);
    group.deliveryMs = 0;
    group.dueAtMs = clock.nowMs() + refreshIntervalMs(group.costMs, this.#rootSum());
  }

  #charge(group: Group, costMs: number): void {
    group.costMs = expectedCostMs(group.costMs, costMs);
    this.#paidAtMs = Math.max(this.#paidAtMs, this.#options.clock.nowMs()) + costMs / threadShare;
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

  #rootSum(): number {
    let sum = 0;
    for (const { views, costMs } of this.#options.groups.all) if (views.size > 0) sum += Math.sqrt(costMs);
    return sum;
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
      this.start();
    });
    this.#timer = { atMs, cancel };
  }

  /** When there is something to do; Infinity if a change has to come first. */
  #nextAtMs(nowMs: number, isUrgent: boolean): number {
    const wallMs = this.#options.clock.wallMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const group of this.#options.groups.all) {
      if (!isAwaited(group)) continue;
      const { result, dueAtMs } = group;
      if (isUrgent || result.state === undefined || result.hasOldAccess()) return nowMs;
      const ageMs = nowMs + Math.max(0, result.nextAgeChangeMs - wallMs);
      let atMs = ageMs;
      if (result.isBehind(wallMs)) atMs = nowMs;
      else if (this.#isStale) atMs = Math.min(ageMs, this.#scanDueMs);
      nextMs = Math.min(nextMs, Math.max(atMs, dueAtMs, this.#paidAtMs - burstMs));
    }
    return nextMs;
  }
}

function isAwaited({ views }: Group): boolean {
  for (const { waiting } of views) if (waiting !== undefined) return true;
  return false;
}
