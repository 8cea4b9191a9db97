// SPDX-License-Identifier: Apache-2.0
// Selects which events of a cluster have rows (KI15). It reads no clock: callers pass the time.
import type { ColumnValue, RowContent, RowDelete } from "../model/rows/row.ts";
import { compareUtf8 } from "../model/text.ts";
import { eventKind } from "./event-kind.ts";
import { projectRow } from "./project-row.ts";

/** Most rows of one cluster (KI15). */
const maxRowCount = 1_000;

/** How long a row stays after its event was last seen: as long as an API server keeps events by default. */
const keptForMs = 3_600_000;

/**
 * Events of one row that are kept individually. Recorders merge events themselves, so more are rare. Older events are
 * kept as a count only.
 */
const maxMemberCount = 4;

/** Rows to upsert and rows to delete. Deletes apply first (CO27). */
export interface EventChanges {
  readonly upserts: readonly RowContent[];
  readonly deletes: readonly RowDelete[];
}

/** Limits that tests override. */
export interface EventWindowOptions {
  readonly maxRowCount?: number;
  readonly keptForMs?: number;
}

/** The events that one row stands for: same object, reason and reporting controller. */
interface Group {
  /** By event key. Never empty. */
  readonly members: Map<string, RowContent>;
  /** Sum over events that are no longer kept individually. */
  olderCount: number;
  olderFirstSeenAt: number;
  /** When a member was last added or changed, by the observer's clock. */
  seenAtMs: number;
  row: RowContent | undefined;
}

const nothing: EventChanges = { upserts: [], deletes: [] };

/**
 * The newest warnings of one cluster. Events of the same group share one row. The row is named after the group's newest
 * event and counts all its events. Above the limit, the row with the oldest last-seen time by the cluster's clock is
 * evicted.
 */
export class EventWindow {
  readonly #groups = new Map<string, Group>();
  /** Event key to group key. Members only. */
  readonly #groupOf = new Map<string, string>();
  readonly #maxRowCount: number;
  readonly #keptForMs: number;
  #leftOutCount = 0;

  constructor(options: EventWindowOptions = {}) {
    this.#maxRowCount = options.maxRowCount ?? maxRowCount;
    this.#keptForMs = options.keptForMs ?? keptForMs;
  }

  /** How many rows were evicted since construction. A row that is evicted twice counts twice. */
  get leftOutCount(): number {
    return this.#leftOutCount;
  }

  /** All rows, newest first. */
  rows(): readonly RowContent[] {
    const rows = Array.from(this.#groups.values(), ({ row }) => row);
    return rows.filter((row) => row !== undefined).sort((a, b) => compareAge(b, a));
  }

  /**
   * Applies an event. An unchanged event is ignored and does not extend its row's lifetime. Throws INVALID_ARGUMENT for
   * an object without a name.
   */
  apply(object: unknown, nowMs: number): EventChanges {
    const event = projectRow(eventKind, object, { facts: { meshRootNamespaces: new Set() }, terminatingForMs: 0 });
    if (event.columns.get("type") !== "Warning") return this.remove(event);
    const [eventKey, groupKey] = [eventKeyOf(event), groupKeyOf(event)];
    const formerKey = this.#groupOf.get(eventKey);
    const moved = formerKey === undefined || formerKey === groupKey ? nothing : this.remove(event);
    const group = this.#groups.get(groupKey) ?? createGroup();
    const known = group.members.get(eventKey);
    if (known?.resourceVersion === event.resourceVersion && known.uid === event.uid) return moved;
    group.seenAtMs = nowMs;
    group.members.set(eventKey, event);
    this.#groups.set(groupKey, group);
    this.#groupOf.set(eventKey, groupKey);
    this.#foldOlder(group);
    const evicted = this.#groups.size > this.#maxRowCount ? this.#evictOldest() : nothing;
    return join([moved, evicted, this.#groups.has(groupKey) ? publish(group) : nothing]);
  }

  /** Removes an event that the cluster has deleted. */
  remove(event: { readonly namespace: string; readonly name: string }): EventChanges {
    const eventKey = eventKeyOf(event);
    const groupKey = this.#groupOf.get(eventKey);
    const group = groupKey === undefined ? undefined : this.#groups.get(groupKey);
    if (groupKey === undefined || group === undefined) return nothing;
    group.members.delete(eventKey);
    this.#groupOf.delete(eventKey);
    return group.members.size === 0 ? this.#drop(groupKey, group) : publish(group);
  }

  /** Removes rows that were last seen `keptForMs` ago or earlier. */
  expire(nowMs: number): EventChanges {
    const old = Array.from(this.#groups).filter(([, { seenAtMs }]) => nowMs - seenAtMs >= this.#keptForMs);
    return join(old.map(([key, group]) => this.#drop(key, group)));
  }

  #evictOldest(): EventChanges {
    let oldest: { readonly key: string; readonly group: Group; readonly newest: RowContent } | undefined;
    for (const [key, group] of this.#groups) {
      const newest = newestOf(group);
      if (oldest === undefined || compareAge(newest, oldest.newest) < 0) oldest = { key, group, newest };
    }
    if (oldest === undefined) return nothing;
    this.#leftOutCount += 1;
    return this.#drop(oldest.key, oldest.group);
  }

  #drop(key: string, group: Group): EventChanges {
    for (const eventKey of group.members.keys()) this.#groupOf.delete(eventKey);
    this.#groups.delete(key);
    return group.row === undefined ? nothing : { upserts: [], deletes: [toDelete(group.row)] };
  }

  #foldOlder(group: Group): void {
    while (group.members.size > maxMemberCount) {
      const [key, oldest] = Array.from(group.members).reduce((a, b) => (compareAge(b[1], a[1]) < 0 ? b : a));
      group.members.delete(key);
      this.#groupOf.delete(key);
      group.olderCount += numberOf(oldest, "count");
      group.olderFirstSeenAt = earlier(group.olderFirstSeenAt, numberOf(oldest, "firstSeenAt"));
    }
  }
}

function createGroup(): Group {
  return { members: new Map(), olderCount: 0, olderFirstSeenAt: 0, seenAtMs: 0, row: undefined };
}

/** Rebuilds the group's row. */
function publish(group: Group): EventChanges {
  const newest = newestOf(group);
  let [count, firstSeenAt] = [group.olderCount, group.olderFirstSeenAt];
  for (const member of group.members.values()) {
    count += numberOf(member, "count");
    firstSeenAt = earlier(firstSeenAt, numberOf(member, "firstSeenAt"));
  }
  const columns = new Map<string, ColumnValue>(newest.columns);
  columns.set("count", Math.min(count, Number.MAX_SAFE_INTEGER));
  if (firstSeenAt !== 0) columns.set("firstSeenAt", firstSeenAt);
  const former = group.row;
  group.row = { ...newest, columns };
  const isSame = former === undefined || (eventKeyOf(former) === eventKeyOf(newest) && former.uid === newest.uid);
  return { upserts: [group.row], deletes: isSame ? [] : [toDelete(former)] };
}

function newestOf({ members }: Group): RowContent {
  return Array.from(members.values()).reduce((a, b) => (compareAge(b, a) > 0 ? b : a));
}

/**
 * Orders by the cluster's last-seen time, oldest first. Equal times are ordered by key, so the order of arrival does
 * not matter.
 */
function compareAge(a: RowContent, b: RowContent): number {
  return numberOf(a, "lastSeenAt") - numberOf(b, "lastSeenAt") || compareUtf8(eventKeyOf(a), eventKeyOf(b));
}

function numberOf({ columns }: RowContent, column: string): number {
  const value = columns.get(column);
  return typeof value === "number" ? value : 0;
}

/** The earlier of two times. 0 means not reported. */
function earlier(a: number, b: number): number {
  return a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b);
}

/** A namespace contains no "/". */
function eventKeyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** Events with the same object, reason and reporting controller are merged. */
function groupKeyOf({ reason, columns }: RowContent): string {
  const object = ["objectGroup", "objectKind", "objectNamespace", "objectName", "objectUid", "controller"];
  return JSON.stringify([...object.map((column) => columns.get(column) ?? ""), reason]);
}

function toDelete({ namespace, name, uid }: RowContent): RowDelete {
  return { namespace, name, uid };
}

function join(all: readonly EventChanges[]): EventChanges {
  return { upserts: all.flatMap(({ upserts }) => upserts), deletes: all.flatMap(({ deletes }) => deletes) };
}
