// SPDX-License-Identifier: Apache-2.0
// The connection from this browser to the hub as a state machine. Total: every event has an outcome in every state.

import type { HubHop } from "./link.ts";
import { backoffMs, linkBackoff } from "./link-backoff.ts";

/**
 * `opening`: an attempt is running; `open`: its first message arrived; `waiting`: between attempts; `loginNeeded`: the
 * hub refused the credential. `begunMs`: start of the newest attempt. `nextAttemptMs`: when `due` is expected; while
 * `opening` only if another attempt was requested too soon, which then replaces this one.
 */
export type HopState =
  | {
      readonly kind: "opening";
      readonly begunMs: number;
      readonly lost: Loss | undefined;
      readonly nextAttemptMs: number | undefined;
    }
  | { readonly kind: "open"; readonly begunMs: number; readonly sinceMs: number; readonly pageVersion: string }
  | { readonly kind: "waiting"; readonly begunMs: number; readonly lost: Loss; readonly nextAttemptMs: number }
  | { readonly kind: "loginNeeded"; readonly sentence: string };

type NotOpen = Extract<HopState, { readonly nextAttemptMs: number | undefined }>;

interface Loss {
  /** Time of the loss; kept until the connection is open again. */
  readonly sinceMs: number;
  readonly sentence: string;
  readonly failureCount: number;
}

export type HopEvent =
  /** The first message arrived: the stream is open. */
  | { readonly kind: "opened"; readonly pageVersion: string }
  /** The stream ended, could not be opened, or was silent for too long. */
  | { readonly kind: "failed"; readonly sentence: string }
  /** The hub refused the credential. */
  | { readonly kind: "refused"; readonly sentence: string }
  /** `nextAttemptMs` was reached. */
  | { readonly kind: "due" }
  /** Try now: requested by the viewer, the network, or a tab that became visible. */
  | { readonly kind: "wake" };

/** Minimum interval of requested attempts: repeated "Retry now" reaches the hub once a second. */
const requestedGapMs = 1_000;

/** The initial state; an attempt starts with it. */
export function firstHopState(nowMs: number): HopState {
  return { kind: "opening", begunMs: nowMs, lost: undefined, nextAttemptMs: undefined };
}

/** Whether this step starts an attempt, replacing a running one. */
export function beginsAttempt(from: HopState, to: HopState): boolean {
  return to.kind === "opening" && (from.kind !== "opening" || from.begunMs !== to.begunMs);
}

/** One step. An irrelevant event returns the same state. */
export function stepHop(
  state: HopState,
  event: HopEvent,
  { nowMs, random }: { readonly nowMs: number; readonly random: () => number },
): HopState {
  switch (event.kind) {
    case "opened":
      return state.kind === "opening"
        ? { kind: "open", begunMs: state.begunMs, sinceMs: nowMs, pageVersion: event.pageVersion }
        : state;
    case "refused":
      return state.kind === "opening" || state.kind === "open"
        ? { kind: "loginNeeded", sentence: event.sentence }
        : state;
    case "failed": {
      if (state.kind !== "opening" && state.kind !== "open") return state;
      const before = state.kind === "opening" ? state.lost : undefined;
      const lost: Loss = {
        sinceMs: before?.sinceMs ?? nowMs,
        sentence: event.sentence,
        failureCount: (before?.failureCount ?? 0) + 1,
      };
      const nextAttemptMs = nowMs + backoffMs(linkBackoff, lost.failureCount, random);
      const waiting: HopState = { kind: "waiting", begunMs: state.begunMs, lost, nextAttemptMs };
      const isRequested = state.kind === "opening" && state.nextAttemptMs !== undefined;
      return isRequested ? wakeHop(waiting, nowMs) : waiting;
    }
    case "due":
      if (state.kind !== "opening" && state.kind !== "waiting") return state;
      return state.nextAttemptMs === undefined ? state : nextAttempt(state, nowMs);
    case "wake":
      return wakeHop(state, nowMs);
  }
}

/** Tries now, or as soon as the minimum interval allows. */
function wakeHop(state: HopState, nowMs: number): HopState {
  if (state.kind === "open") return state;
  if (state.kind === "loginNeeded") return firstHopState(nowMs);
  const soonestMs = state.begunMs + requestedGapMs;
  if (nowMs >= soonestMs) return nextAttempt(state, nowMs);
  if (state.nextAttemptMs !== undefined && state.nextAttemptMs <= soonestMs) return state;
  return { ...state, nextAttemptMs: soonestMs };
}

/** An attempt replaced by this one counts as failed. */
function nextAttempt({ kind, lost }: NotOpen, nowMs: number): HopState {
  const counted = kind === "opening" && lost ? { ...lost, failureCount: lost.failureCount + 1 } : lost;
  return { kind: "opening", begunMs: nowMs, lost: counted, nextAttemptMs: undefined };
}

/** What the page shows for a state: an attempt after a loss still counts as lost. */
export function toHubHop(state: HopState): HubHop {
  switch (state.kind) {
    case "open":
      return { kind: "open", sinceMs: state.sinceMs, pageVersion: state.pageVersion };
    case "loginNeeded":
      return state;
    case "opening":
      return state.lost === undefined ? { kind: "opening" } : toLost(state.lost, undefined);
    case "waiting":
      return toLost(state.lost, state.nextAttemptMs);
  }
}

function toLost({ sinceMs, sentence, failureCount }: Loss, nextAttemptMs: number | undefined): HubHop {
  return { kind: "lost", sinceMs, sentence, attemptCount: failureCount, nextAttemptMs };
}
