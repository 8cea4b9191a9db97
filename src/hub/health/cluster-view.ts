// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import { type Connection, connectionSentence, type PauseMemory } from "../../health/health-state.ts";
import type { Transition } from "../../health/transition.ts";
import type { ClusterId } from "../../model/cluster-id.ts";

/**
 * A cluster's connection at one moment: the single value that everything shows (L8). Times are the hub's monotonic
 * clock.
 */
export interface ClusterView {
  readonly cluster: ClusterId;
  readonly region: string;
  readonly connection: Connection;
  /** Undefined while not paused. */
  readonly pause: PauseMemory | undefined;
  readonly lastSeenMs: number | undefined;
  /** Time up to which its rows were current; undefined while live, and if they never were. */
  readonly currentUntilMs: number | undefined;
  /** Number of the incident that covers this outage. */
  readonly incident: number | undefined;
}

/** One change and its position in the hub's run. Without a view the cluster was removed. */
export interface HealthChange {
  readonly position: number;
  readonly cluster: ClusterId;
  readonly view: ClusterView | undefined;
  /** Undefined if the state did not change, only reason, attempts or flags. */
  readonly transition: Transition | undefined;
}

/** True if readers see no difference. `lastSeenMs` is ignored: it changes with every heartbeat. */
export function isSameView(one: ClusterView, other: ClusterView): boolean {
  const [a, b] = [one.connection, other.connection];
  return (
    one.region === other.region &&
    one.pause?.sinceMs === other.pause?.sinceMs &&
    one.pause?.by === other.pause?.by &&
    one.incident === other.incident &&
    a.state === b.state &&
    a.sinceMs === b.sinceMs &&
    a.reason === b.reason &&
    a.detail === b.detail &&
    a.attemptCount === b.attemptCount &&
    a.isFlapping === b.isFlapping
  );
}

/** Time as of which its rows are current (HE16, HE20). Undefined if its agent was never heard. */
export function rowsAtMs({
  lastSeenMs,
  currentUntilMs,
  pause,
}: Pick<ClusterView, "lastSeenMs" | "currentUntilMs" | "pause">): number | undefined {
  if (lastSeenMs === undefined) return undefined;
  return Math.min(lastSeenMs, currentUntilMs ?? lastSeenMs, pause?.rowsAtMs ?? lastSeenMs);
}

/**
 * A cluster as `/health` serialises it. Ages are as of sending: a reader adds its own (L20); `since` is for display.
 */
export interface ClusterDocument {
  readonly cluster: string;
  readonly region: string;
  readonly state: Connection["state"];
  readonly since: string;
  readonly sinceMsAgo: number;
  readonly reason: Connection["reason"];
  readonly sentence: string;
  readonly attemptCount: number;
  readonly nextAttemptInMs: number | null;
  readonly lastSeenMsAgo: number | null;
  readonly isPaused: boolean;
  /** The user who paused it; null while not paused, "" if unknown. */
  readonly pausedBy: string | null;
  readonly pausedMsAgo: number | null;
  readonly isFlapping: boolean;
  readonly incident: number | null;
}

/** The document of a view now. */
export function toClusterDocument(view: ClusterView, clock: Clock): ClusterDocument {
  const nowMs = clock.nowMs();
  const { state, sinceMs, reason, attemptCount, nextAttemptMs, isFlapping } = view.connection;
  const sinceMsAgo = Math.round(nowMs - sinceMs);
  const rowsAt = rowsAtMs(view);
  return {
    cluster: view.cluster,
    region: view.region,
    state,
    since: new Date(Math.round(clock.wallMs()) - sinceMsAgo).toISOString(),
    sinceMsAgo,
    reason,
    sentence: connectionSentence(view.connection),
    attemptCount,
    nextAttemptInMs: nextAttemptMs === undefined ? null : Math.max(0, Math.round(nextAttemptMs - nowMs)),
    lastSeenMsAgo: rowsAt === undefined ? null : Math.round(nowMs - rowsAt),
    isPaused: view.pause !== undefined,
    pausedBy: view.pause?.by ?? null,
    pausedMsAgo: view.pause === undefined ? null : Math.round(nowMs - view.pause.sinceMs),
    isFlapping,
    incident: view.incident ?? null,
  };
}
