// SPDX-License-Identifier: Apache-2.0
import type { ApiServerReport, AttemptRejectionReason, PauseFacts } from "./health-input.ts";
import { freshnessOf, type KindFreshness, type KindRecord } from "./kind-freshness.ts";
import { type ReasonClass, sentenceOf, toDetail } from "./reason.ts";
import type { Thresholds } from "./thresholds.ts";

/**
 * The connection state of a cluster (HE1). `live`: the rows are current; `catchingUp`: a session lives and is not yet
 * proven equal; `stale`: a session lives and the rows are behind; `disconnected`: no session, or no API server;
 * `neverSeen`: no session was ever accepted; `rejected`: its agent is refused and retrying does not help.
 */
export const connectionStates = ["live", "catchingUp", "stale", "disconnected", "neverSeen", "rejected"] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** True for states in which the rows are behind. */
export function isBehind(state: ConnectionState): boolean {
  return state === "stale" || state === "disconnected" || state === "rejected";
}

/** True for states that count as a loss. A pause does not, although the cluster is stale meanwhile (HE16). */
export function isLoss({ state, reason }: { readonly state: ConnectionState; readonly reason: ReasonClass }): boolean {
  return reason !== "paused" && isBehind(state);
}

/** The current pause. */
export interface PauseMemory {
  readonly by: string;
  /** Start of the pause. */
  readonly sinceMs: number;
  /** Time of the newest rows when it was paused. */
  readonly rowsAtMs: number;
}

/** The newest heartbeat and its arrival time. */
export interface HeartbeatMemory {
  readonly atMs: number;
  readonly apiServer: ApiServerReport;
  readonly oldestWaitingMs: number | undefined;
}

/** The live session. */
export interface SessionMemory {
  readonly epoch: number;
  readonly heartbeatMs: number;
  readonly beganMs: number;
  readonly heartbeat: HeartbeatMemory | undefined;
  /** Kinds proven equal since the last loss. */
  readonly equalKinds: ReadonlySet<string>;
  /** All followed kinds were proven equal since the last loss; holds until the next loss or difference. */
  readonly isProven: boolean;
  /**
   * It was superseded. If the newer session does not begin before the heartbeats are overdue, the agent counts as lost.
   */
  readonly isSuperseded: boolean;
}

/** The newest rejected attempt while no session lived, and the number of attempts since the last session. */
export interface RejectionMemory {
  readonly reason: AttemptRejectionReason;
  readonly detail: string;
  readonly retryAtMs: number;
  readonly attemptCount: number;
}

/** The connection as every view shows it. Times are the machine's own monotonic clock. */
export interface Connection {
  readonly state: ConnectionState;
  readonly sinceMs: number;
  readonly reason: ReasonClass;
  /** Error text of the other side; "" if none. */
  readonly detail: string;
  readonly attemptCount: number;
  readonly nextAttemptMs: number | undefined;
  /** More losses than the limit within the window (HE6). */
  readonly isFlapping: boolean;
  /** While catching up: the reason of the preceding loss or pause. Undefined at its first session. */
  readonly returnedFrom?: ReasonClass | undefined;
}

/** The complete state of one cluster's machine. */
export interface HealthState {
  readonly thresholds: Thresholds;
  readonly session: SessionMemory | undefined;
  /** How the last session ended, or why a cluster without sessions could not be reached; undefined: neither. */
  readonly lastEnd: { readonly reason: ReasonClass; readonly detail: string } | undefined;
  readonly rejection: RejectionMemory | undefined;
  readonly pause: PauseMemory | undefined;
  /** Time up to which its rows were current; undefined while live, and if they never were (HE20). */
  readonly currentUntilMs: number | undefined;
  /** Time the agent was last heard; before the machine's start if the hub restarted. */
  readonly lastSeenMs: number | undefined;
  readonly kinds: ReadonlyMap<string, KindRecord>;
  /** Times of the newest losses, at most one more than the limit, oldest first. */
  readonly fallsMs: readonly number[];
  readonly shown: Connection;
}

/** Facts about a cluster at a hub's start. */
export interface HealthStart {
  readonly thresholds: Thresholds;
  readonly nowMs: number;
  /** Time since an earlier run of the hub last heard the agent; undefined: no session was ever accepted. */
  readonly lastSeenMsAgo?: number | undefined;
  readonly pause?: PauseFacts | undefined;
}

/** The first state: `neverSeen`, or `disconnected` by `hubRestarted` until its agent returns. */
export function createHealthState({ thresholds, nowMs, lastSeenMsAgo, pause }: HealthStart): HealthState {
  const wasSeen = lastSeenMsAgo !== undefined;
  const reason = wasSeen ? "hubRestarted" : "never";
  return {
    thresholds,
    session: undefined,
    lastEnd: wasSeen ? { reason, detail: "" } : undefined,
    rejection: undefined,
    pause: pause === undefined ? undefined : rememberPause(pause, { nowMs, heardMs: nowMs - (lastSeenMsAgo ?? 0) }),
    currentUntilMs: wasSeen ? nowMs - lastSeenMsAgo : undefined,
    lastSeenMs: wasSeen ? nowMs - lastSeenMsAgo : undefined,
    kinds: new Map(),
    fallsMs: [],
    shown: {
      state: wasSeen ? "disconnected" : "neverSeen",
      sinceMs: nowMs,
      reason,
      detail: "",
      attemptCount: 0,
      nextAttemptMs: undefined,
      isFlapping: false,
    },
  };
}

/** The stored form of a pause; `heardMs` is the time up to which rows were received. */
export function rememberPause(
  { by, pausedMsAgo }: PauseFacts,
  { nowMs, heardMs }: { readonly nowMs: number; readonly heardMs: number },
): PauseMemory {
  const sinceMs = nowMs - pausedMsAgo;
  return { by: toDetail(by), sinceMs, rowsAtMs: Math.min(sinceMs, heardMs) };
}

/** The user-facing sentence about a connection. */
export function connectionSentence({ state, reason, detail, isFlapping, returnedFrom }: Connection): string {
  if (state === "catchingUp") {
    return isFlapping
      ? "The connection is flapping; it is shown as live once it has been stable for a while."
      : `${returnSentence(returnedFrom)}; the hub compares its rows with the cluster's.`;
  }
  return sentenceOf(reason, detail);
}

/** Start of the sentence after a return (HE17). */
function returnSentence(reason: ReasonClass | undefined): string {
  switch (reason) {
    case undefined:
    case "none":
    case "never":
      return "The agent has connected";
    case "agentLost":
    case "agentLeft":
    case "heartbeatMissed":
    case "rejected":
    case "hubRestarted":
      return "The agent is back";
    case "paused":
      return "The cluster was resumed";
    case "backlog":
    case "grantsBehind":
    case "watchSilent":
    case "overloaded":
      return "Changes arrive again";
    default:
      return "The API server answers again";
  }
}

/**
 * Time up to which the session's watches were known to be current: its last heartbeat, or the earlier loss of its API
 * server.
 */
export function vouchedUntilMs({ heartbeat, beganMs }: SessionMemory): number {
  if (heartbeat === undefined) return beganMs;
  const { atMs, apiServer } = heartbeat;
  return apiServer.fault === "" ? atMs : atMs - apiServer.sinceMsAgo;
}

/** The freshness of each kind now, in the order in which the agent first reported them. */
export function kindFreshness({ kinds, session, shown, pause }: HealthState, nowMs: number): readonly KindFreshness[] {
  const isVouched = session !== undefined && pause === undefined && !isLoss(shown);
  const vouchedMs = session === undefined ? Number.NEGATIVE_INFINITY : vouchedUntilMs(session);
  return [...kinds].map(([resource, record]) =>
    freshnessOf(resource, record, { vouchedMs, isVouched, nowMs, latestMs: pause?.rowsAtMs }),
  );
}
