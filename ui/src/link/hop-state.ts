// SPDX-License-Identifier: Apache-2.0
// The hop from this browser to the hub as a state machine. Total: every event has an outcome in every state.
import { backoffMs, linkBackoff } from "./backoff.ts";
import type { HubHop } from "./link.ts";

/**
 * `opening`: an attempt is under way; `open`: its first message came; `waiting`: between attempts; `loginNeeded`: the hub does not know
 * us. `begunMs` is when the newest attempt was begun. `nextAttemptMs` is when `due` is to come; while `opening` only where another attempt
 * was asked for too soon, and then takes the place of this one.
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
  /** When the page was last told something; kept until it is told again. */
  readonly sinceMs: number;
  readonly sentence: string;
  readonly failureCount: number;
}

export type HopEvent =
  /** The first message came, so the stream is open. */
  | { readonly kind: "heard"; readonly pageVersion: string }
  /** The stream ended, could not be opened, or was silent for too long. */
  | { readonly kind: "failed"; readonly sentence: string }
  /** The hub answered that it does not know us. */
  | { readonly kind: "refused"; readonly sentence: string }
  /** `nextAttemptMs` has come. */
  | { readonly kind: "due" }
  /** Something says that it is worth trying now: a person, the network, a tab that is shown again. */
  | { readonly kind: "wake" };

/** Attempts that are asked for begin no closer to each other: however often somebody presses "retry now", the hub hears of it once a second. */
const askedGapMs = 1_000;

/** The first state: an attempt is begun with it. */
export function firstHopState(nowMs: number): HopState {
  return { kind: "opening", begunMs: nowMs, lost: undefined, nextAttemptMs: undefined };
}

/** Whether a step from one state to the other begins an attempt, in place of one that is under way. */
export function beginsAttempt(from: HopState, to: HopState): boolean {
  return to.kind === "opening" && (from.kind !== "opening" || from.begunMs !== to.begunMs);
}

/** One step; an event that means nothing to a state gives that same state. */
export function stepHop(
  state: HopState,
  event: HopEvent,
  { nowMs, random }: { readonly nowMs: number; readonly random: () => number },
): HopState {
  switch (event.kind) {
    case "heard":
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
      const isAsked = state.kind === "opening" && state.nextAttemptMs !== undefined;
      return isAsked ? wakeHop(waiting, nowMs) : waiting;
    }
    case "due":
      if (state.kind !== "opening" && state.kind !== "waiting") return state;
      return state.nextAttemptMs === undefined ? state : nextAttempt(state, nowMs);
    case "wake":
      return wakeHop(state, nowMs);
  }
}

/** Tries now, or as soon as it may. */
function wakeHop(state: HopState, nowMs: number): HopState {
  if (state.kind === "open") return state;
  if (state.kind === "loginNeeded") return firstHopState(nowMs);
  const soonestMs = state.begunMs + askedGapMs;
  if (nowMs >= soonestMs) return nextAttempt(state, nowMs);
  if (state.nextAttemptMs !== undefined && state.nextAttemptMs <= soonestMs) return state;
  return { ...state, nextAttemptMs: soonestMs };
}

/** An attempt that is given up for this one counts as one that failed. */
function nextAttempt({ kind, lost }: NotOpen, nowMs: number): HopState {
  const counted = kind === "opening" && lost ? { ...lost, failureCount: lost.failureCount + 1 } : lost;
  return { kind: "opening", begunMs: nowMs, lost: counted, nextAttemptMs: undefined };
}

/** What the page shows of a state: an attempt under way after a loss is still that loss. */
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
