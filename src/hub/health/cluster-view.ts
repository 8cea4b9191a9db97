// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import { type Connection, connectionSentence, type PauseMemory } from "../../health/health-state.ts";
import type { Transition } from "../../health/transition.ts";
import type { ClusterId } from "../../model/cluster-id.ts";

/** A cluster's connection at one moment: the one value that everything shows (L8). Times are the hub's monotonic clock. */
export interface ClusterView {
  readonly cluster: ClusterId;
  readonly region: string;
  readonly connection: Connection;
  /** Undefined while it is not paused. */
  readonly pause: PauseMemory | undefined;
  readonly lastSeenMs: number | undefined;
  /** Until when its rows were current; undefined while it is live, and where it never was. */
  readonly currentUntilMs: number | undefined;
  /** The number of the incident that it is out in. */
  readonly incident: number | undefined;
}

/** One change, at its place in the hub's run. Without a view the cluster was removed. */
export interface HealthChange {
  readonly position: number;
  readonly cluster: ClusterId;
  readonly view: ClusterView | undefined;
  /** Undefined where only what stands beside the state has changed: reason, attempts, flags. */
  readonly transition: Transition | undefined;
}

/** True where a reader would see a difference. Being heard again is none: it happens at every heartbeat. */
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

/** As of when its rows are (HE16, HE20). Undefined where its agent was never heard. */
export function rowsAtMs({
  lastSeenMs,
  currentUntilMs,
  pause,
}: Pick<ClusterView, "lastSeenMs" | "currentUntilMs" | "pause">): number | undefined {
  if (lastSeenMs === undefined) return undefined;
  return Math.min(lastSeenMs, currentUntilMs ?? lastSeenMs, pause?.rowsAtMs ?? lastSeenMs);
}

/** A cluster as `/health` writes it. Ages are as of sending: a reader adds its own (L20); `since` is for people. */
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
  /** Who paused it; null while it is not paused, "" where that is not known. */
  readonly pausedBy: string | null;
  readonly pausedMsAgo: number | null;
  readonly isFlapping: boolean;
  readonly incident: number | null;
}

/** The document of a view at this moment. */
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
