// SPDX-License-Identifier: Apache-2.0
import type { ApiServerReport } from "./api-server-report.ts";
import type { PauseFacts, RejectionReason } from "./health-input.ts";
import { freshnessOf, type KindFreshness, type KindRecord } from "./kind-freshness.ts";
import { type ReasonClass, sentenceOf, toDetail } from "./reason.ts";
import type { Thresholds } from "./thresholds.ts";

/**
 * The connection of a cluster in one word (HE1). `live`: the picture is current; `catchingUp`: a session lives and is not yet
 * proven equal; `stale`: a session lives and the picture is behind; `disconnected`: no session, or no API server; `neverSeen`:
 * no session was ever accepted; `rejected`: its agent is refused and waiting does not cure it.
 */
export const connectionStates = ["live", "catchingUp", "stale", "disconnected", "neverSeen", "rejected"] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** True for states in which the picture is behind. */
export function isBehind(state: ConnectionState): boolean {
  return state === "stale" || state === "disconnected" || state === "rejected";
}

/** True for what people are told of as a loss. A pause is none, though the cluster counts as stale meanwhile (HE16). */
export function isLoss({ state, reason }: { readonly state: ConnectionState; readonly reason: ReasonClass }): boolean {
  return reason !== "paused" && isBehind(state);
}

/** A pause that lasts. */
export interface PauseMemory {
  readonly by: string;
  /** When it was paused. */
  readonly sinceMs: number;
  /** The moment of the newest rows when it was paused. */
  readonly rowsAtMs: number;
}

/** What the newest heartbeat said, and when it came. */
export interface HeartbeatMemory {
  readonly atMs: number;
  readonly apiServer: ApiServerReport;
  readonly oldestWaitingMs: number | undefined;
}

/** The session that lives. */
export interface SessionMemory {
  readonly epoch: number;
  readonly heartbeatMs: number;
  readonly beganMs: number;
  readonly heartbeat: HeartbeatMemory | undefined;
  /** Kinds proven equal since the last fall. */
  readonly equalKinds: ReadonlySet<string>;
  /** All kinds that are followed were proven equal since the last fall; stays until the next fall or difference. */
  readonly isProven: boolean;
  /** Its place was taken; if no newer session begins before its heartbeats would be missed, there is none. */
  readonly isSuperseded: boolean;
}

/** The newest attempt that was refused while no session lived, and how many came since the last session. */
export interface RejectionMemory {
  readonly reason: RejectionReason;
  readonly detail: string;
  readonly retryAtMs: number;
  readonly attemptCount: number;
}

/** The connection as everybody shows it. Times are the machine's own monotonic clock. */
export interface Connection {
  readonly state: ConnectionState;
  readonly sinceMs: number;
  readonly reason: ReasonClass;
  /** What the other side said; "" where it said nothing. */
  readonly detail: string;
  readonly attemptCount: number;
  readonly nextAttemptMs: number | undefined;
  /** More falls than the limit within the window (HE6). */
  readonly isFlapping: boolean;
  /** While it catches up: by what it was lost or paused before. Undefined at its first session. */
  readonly returnedFrom?: ReasonClass | undefined;
}

/** Everything the machine remembers of one cluster. */
export interface HealthState {
  readonly thresholds: Thresholds;
  readonly session: SessionMemory | undefined;
  /** How the last session ended, or why a cluster that never had one could not be reached; undefined = neither. */
  readonly lastEnd: { readonly reason: ReasonClass; readonly detail: string } | undefined;
  readonly rejection: RejectionMemory | undefined;
  readonly pause: PauseMemory | undefined;
  /** Until when its rows were current; undefined while it is live, and where it never was (HE20). */
  readonly currentUntilMs: number | undefined;
  /** When the agent was last heard; before the machine's own start where a hub restarted. */
  readonly lastSeenMs: number | undefined;
  readonly kinds: ReadonlyMap<string, KindRecord>;
  /** The newest falls, one more than the limit at the most, oldest first. */
  readonly fallsMs: readonly number[];
  readonly shown: Connection;
}

/** A cluster as a hub that starts knows it. */
export interface HealthStart {
  readonly thresholds: Thresholds;
  readonly nowMs: number;
  /** How long ago its agent was last heard by an earlier run of the hub; undefined = no session was ever accepted. */
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

/** A pause as it is remembered; `heardMs` is until when rows came before it. */
export function rememberPause(
  { by, pausedMsAgo }: PauseFacts,
  { nowMs, heardMs }: { readonly nowMs: number; readonly heardMs: number },
): PauseMemory {
  const sinceMs = nowMs - pausedMsAgo;
  return { by: toDetail(by), sinceMs, rowsAtMs: Math.min(sinceMs, heardMs) };
}

/** The sentence that people read about a connection. */
export function connectionSentence({ state, reason, detail, isFlapping, returnedFrom }: Connection): string {
  if (state === "catchingUp") {
    return isFlapping
      ? "The connection comes and goes; it is shown as live once it has held for a while."
      : `${returnWords(returnedFrom)}; the hub compares its rows with the cluster's.`;
  }
  return sentenceOf(reason, detail);
}

/** What came back (HE17). */
function returnWords(reason: ReasonClass | undefined): string {
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
      return "Changes come again";
    default:
      return "The API server answers again";
  }
}

/** Until when the session vouches for its watches: its last heartbeat, or the loss of its API server before that. */
export function vouchedUntilMs({ heartbeat, beganMs }: SessionMemory): number {
  if (heartbeat === undefined) return beganMs;
  const { atMs, apiServer } = heartbeat;
  return apiServer.fault === "" ? atMs : atMs - apiServer.sinceMsAgo;
}

/** How fresh each kind is at this moment, in the order in which the agent first told of them. */
export function kindFreshness({ kinds, session, shown, pause }: HealthState, nowMs: number): readonly KindFreshness[] {
  const isVouched = session !== undefined && pause === undefined && !isLoss(shown);
  const vouchedMs = session === undefined ? Number.NEGATIVE_INFINITY : vouchedUntilMs(session);
  return [...kinds].map(([resource, record]) =>
    freshnessOf(resource, record, { vouchedMs, isVouched, nowMs, latestMs: pause?.rowsAtMs }),
  );
}
