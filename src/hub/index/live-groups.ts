// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import type { LiveFleet, LiveRequest } from "../../index/live/live-request.ts";
import { LiveResult } from "../../index/live/live-result.ts";
import type { FleetAccess } from "./fleet-access.ts";
import { type GroupedView, LiveGroup } from "./live-group.ts";
import { type QueryViewer, visibilityFor } from "./query-runs.ts";

export interface LiveGroupsOptions {
  readonly fleet: LiveFleet;
  readonly access: FleetAccess;
  readonly clock: Pick<Clock, "setTimer">;
}

/** How long the result of a group without members is kept, for readers that come back. */
const keptMs = 60_000;

/** Most results of groups without members. */
const maxIdleCount = 200;

/** The key of a cluster that the hub does not show to the viewer. */
const unlisted = "unlisted";

/**
 * Joins live views that show the same: equal questions of users with equal grants in every cluster. A view whose grants
 * come to differ from those of its group is moved to another one.
 */
export class LiveGroups<View extends GroupedView> {
  readonly #options: LiveGroupsOptions;
  readonly #all = new Set<LiveGroup<View>>();
  readonly #byQuestion = new Map<string, Set<LiveGroup<View>>>();
  /** Groups of which a member may not have been given the newest state. */
  readonly news = new Set<LiveGroup<View>>();
  readonly #groupOf = new Map<View, LiveGroup<View>>();
  /** Groups without members, the first to be dropped first, with what cancels their timers. */
  readonly #idle = new Map<LiveGroup<View>, () => void>();

  constructor(options: LiveGroupsOptions) {
    this.#options = options;
  }

  /** Groups, also those without members. */
  get all(): ReadonlySet<LiveGroup<View>> {
    return this.#all;
  }

  /** Undefined for a view that left, and after its group was dropped. */
  get(view: View): LiveGroup<View> | undefined {
    return this.#groupOf.get(view);
  }

  /** Adds a view to the group that shows the same, or to a new one. */
  join(view: View): void {
    const group = this.#find(view) ?? this.#create(view);
    group.views.add(view);
    this.news.add(group);
    this.#groupOf.set(view, group);
    this.#idle.get(group)?.();
    this.#idle.delete(group);
  }

  leave(view: View): void {
    const group = this.#groupOf.get(view);
    this.#groupOf.delete(view);
    if (group === undefined || !group.views.delete(view) || group.views.size > 0) return;
    this.#idle.set(
      group,
      this.#options.clock.setTimer(keptMs, () => this.drop(group)),
    );
    const isFull = this.#idle.size > maxIdleCount || !this.#options.fleet.budget.hasRoom;
    const [oldest] = this.#idle.keys();
    if (isFull && oldest !== undefined) this.drop(oldest);
  }

  /** Removes a group at once. Its members, if any, belong to none. */
  drop(group: LiveGroup<View>): void {
    this.#idle.get(group)?.();
    this.#idle.delete(group);
    this.news.delete(group);
    if (!this.#all.delete(group)) return;
    const others = this.#byQuestion.get(group.questionKey);
    others?.delete(group);
    if (others?.size === 0) this.#byQuestion.delete(group.questionKey);
    for (const view of group.views) this.#groupOf.delete(view);
    group.result.close();
    // Slots refer to tables, which a removed cluster must not keep in memory.
    if (this.#all.size === 0) this.#options.fleet.slots.clear();
  }

  /** Moves the members whose grants differ from those of the group since it was last checked. */
  moveOthers(group: LiveGroup<View>): void {
    const { slots } = this.#options.fleet;
    if (group.checkedAccess >= slots.accessVersion) return;
    const changed = Array.from(slots.clusters()).filter(({ accessChangedAt }) => accessChangedAt > group.checkedAccess);
    const clusters = changed.map(({ cluster }) => cluster);
    const others = [...group.views].filter(({ by }) => !this.#seesSame(by, group.by, clusters));
    group.checkedAccess = slots.accessVersion;
    for (const view of others) {
      this.leave(view);
      this.join(view);
    }
  }

  close(): void {
    for (const group of this.#all) this.drop(group);
  }

  #find({ questionKey, by }: View): LiveGroup<View> | undefined {
    const { slots } = this.#options.fleet;
    for (const group of this.#byQuestion.get(questionKey) ?? []) {
      if (group.by === by) return group;
      const clusters = Array.from(slots.clusters(), ({ cluster }) => cluster);
      if (isSameSet(group.by.clusters, by.clusters) && this.#seesSame(by, group.by, clusters)) return group;
    }
    return undefined;
  }

  #create(view: View): LiveGroup<View> {
    const { fleet, access } = this.#options;
    const { question, questionKey, by } = view;
    const request: LiveRequest = {
      ...question,
      accessKeyOf: (cluster) => this.#accessKeyOf(by, cluster),
      visibilityOf: visibilityFor(access, { ...by, use: "live" }),
    };
    const group = new LiveGroup<View>(view, new LiveResult(fleet, request), fleet.slots.accessVersion);
    const others = this.#byQuestion.get(questionKey) ?? new Set();
    this.#byQuestion.set(questionKey, others.add(group));
    this.#all.add(group);
    return group;
  }

  #seesSame(a: QueryViewer, b: QueryViewer, clusters: readonly string[]): boolean {
    if (a === b) return true;
    return clusters.every((cluster) => this.#accessKeyOf(a, cluster) === this.#accessKeyOf(b, cluster));
  }

  #accessKeyOf({ viewer, clusters }: QueryViewer, cluster: string): string {
    return clusters?.has(cluster) === false ? unlisted : this.#options.access.accessKeyOf(viewer, cluster);
  }
}

function isSameSet(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.size === b.size && a.isSubsetOf(b);
}
