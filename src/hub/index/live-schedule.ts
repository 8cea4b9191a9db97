// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import type { RefreshScope } from "../../index/live/live-result.ts";
import { expectedCostMs, refreshIntervalMs, threadShare } from "../../index/live/refresh-interval.ts";
import type { LiveGroup } from "./live-group.ts";
import type { LiveGroups } from "./live-groups.ts";
import type { LiveReader } from "./live-reader.ts";

type Group = LiveGroup<LiveReader>;

/** A refresh that can begin now. */
export interface DueRefresh {
  readonly group: Group;
  readonly scope: RefreshScope;
}

/** `late`: the view could not follow the changes, because it was behind those that are kept. */
export type RefreshKind = "first" | "late" | "usual";

/** How far views may be ahead of their share of the thread's time. Without it each refresh would wait for a timer. */
const burstMs = 20;

/**
 * Decides which group of live views is refreshed next, and when (QL18, QL22). Groups whose grants changed come first,
 * then new ones, then those that have waited for their interval. Only groups with a waiting reader are refreshed.
 */
export class LiveSchedule {
  readonly #groups: LiveGroups<LiveReader>;
  readonly #clock: Pick<Clock, "nowMs" | "wallMs">;
  /** When the time that refreshes took is their share of the time that has passed, if that is later than now. */
  #paidAtMs = 0;

  constructor(groups: LiveGroups<LiveReader>, clock: Pick<Clock, "nowMs" | "wallMs">) {
    this.#groups = groups;
    this.#clock = clock;
  }

  /** Undefined if no refresh can begin now. */
  findDue(): DueRefresh | undefined {
    const [nowMs, wallMs] = [this.#clock.nowMs(), this.#clock.wallMs()];
    let fresh: Group | undefined;
    let due: Group | undefined;
    let following: Group | undefined;
    for (const group of this.#groups.all) {
      if (!isAwaited(group)) continue;
      const { result, dueAtMs } = group;
      if (result.state === undefined) fresh ??= group;
      else if (result.hasOldAccess()) return { group, scope: "access" };
      else if (dueAtMs <= nowMs && result.isBehind(wallMs)) {
        due = earlier(due, group);
        if (result.canFollow) following = earlier(following, group);
      }
    }
    // A view that can follow the changes is cheap as long as it does. If all waited until they cannot, all would have to
    // read all tables, and so for ever.
    const group = fresh ?? (this.#paidAtMs > nowMs + burstMs ? undefined : (following ?? due));
    return group === undefined ? undefined : { group, scope: "all" };
  }

  /** When a refresh can begin, if tables that may have changed are compared at `scanAtMs`; Infinity if none can. */
  nextDueMs(scanAtMs: number): number {
    const [nowMs, wallMs] = [this.#clock.nowMs(), this.#clock.wallMs()];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const group of this.#groups.all) {
      if (!isAwaited(group)) continue;
      const { result, dueAtMs } = group;
      if (result.state === undefined || result.hasOldAccess()) return nowMs;
      // A row that has reached an age just now counts otherwise at any later moment, not at this one.
      const ageMs = nowMs + Math.max(1, result.nextAgeChangeMs - wallMs);
      const behindMs = result.isBehind(wallMs) ? nowMs : Math.min(ageMs, scanAtMs);
      nextMs = Math.min(nextMs, Math.max(behindMs, dueAtMs, this.#paidAtMs - burstMs));
    }
    return nextMs;
  }

  hasAwaited(): boolean {
    for (const group of this.#groups.all) if (isAwaited(group)) return true;
    return false;
  }

  /**
   * A refresh took `costMs`. The first one is a query like any other, and not part of the share. One that could not
   * follow the changes says little about the next one, which can.
   */
  noteRefreshed(group: Group, costMs: number, kind: RefreshKind): void {
    if (kind !== "first") {
      const wholeMs = costMs + group.deliveryMs;
      if (kind === "usual" || group.costMs === 0) group.costMs = expectedCostMs(group.costMs, wholeMs);
      this.#paidAtMs = Math.max(this.#paidAtMs, this.#clock.nowMs()) + wholeMs / threadShare;
    }
    group.deliveryMs = 0;
    group.dueAtMs = this.#clock.nowMs() + refreshIntervalMs(group.costMs, this.#rootSum());
  }

  #rootSum(): number {
    let sum = 0;
    for (const { views, costMs } of this.#groups.all) if (views.size > 0) sum += Math.sqrt(costMs);
    return sum;
  }
}

function earlier(a: Group | undefined, b: Group): Group {
  return a === undefined || b.dueAtMs < a.dueAtMs ? b : a;
}

function isAwaited({ views }: Group): boolean {
  for (const { waiting } of views) if (waiting !== undefined) return true;
  return false;
}
