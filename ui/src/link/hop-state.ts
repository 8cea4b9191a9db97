// SPDX-License-Identifier: Apache-2.0
// The hop from this browser to the hub as a state machine. Total: every event has an outcome in every state.
import { backoffMs, linkBackoff } from "./backoff.ts";
import type { HubHop } from "./link.ts";

/**
 * `opening`: an attempt is under way; `open`: its first message came; `waiting`: between attempts; `loginNeeded`: the hub does not know
 * us. `lostSinceMs` is when the page was last told something, kept until it is told again.
 */
export type HopState =
  | { readonly kind: "opening"; readonly lost: Loss | undefined }
  | { readonly kind: "open"; readonly sinceMs: number }
  | { readonly kind: "waiting"; readonly lost: Loss; readonly nextAttemptMs: number }
  | { readonly kind: "loginNeeded"; readonly sentence: string };

interface Loss {
  readonly sinceMs: number;
  readonly sentence: string;
  readonly failureCount: number;
}

export type HopEvent =
  /** A message came, so the stream is open. */
  | { readonly kind: "heard" }
  /** The stream ended, could not be opened, or was silent for too long. */
  | { readonly kind: "failed"; readonly sentence: string }
  /** The hub answered that it does not know us. */
  | { readonly kind: "refused"; readonly sentence: string }
  /** The wait is over, or something says that it is worth trying now. */
  | { readonly kind: "wake" };

/** The first state: an attempt is begun with it. */
export const firstHopState: HopState = { kind: "opening", lost: undefined };

/** One step. An attempt is begun whenever the state becomes `opening`. */
export function stepHop(
  state: HopState,
  event: HopEvent,
  { nowMs, random }: { readonly nowMs: number; readonly random: () => number },
): HopState {
  switch (event.kind) {
    case "heard":
      return state.kind === "opening" ? { kind: "open", sinceMs: nowMs } : state;
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
      return { kind: "waiting", lost, nextAttemptMs: nowMs + backoffMs(linkBackoff, lost.failureCount, random) };
    }
    case "wake":
      if (state.kind === "waiting") return { kind: "opening", lost: state.lost };
      return state.kind === "loginNeeded" ? { kind: "opening", lost: undefined } : state;
  }
}

/** What the page shows of a state: an attempt under way after a loss is still that loss. */
export function toHubHop(state: HopState): HubHop {
  switch (state.kind) {
    case "open":
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
