// SPDX-License-Identifier: Apache-2.0
// Words and shapes of connection states, which the hub decides (PG16). No other part of the page knows states by name.

/**
 * The connection state of a cluster (docs/spec/health.md HE1). `paused`: stale because an administrator paused it
 * (HE16). `unknown`: a state that this page does not know, never shown as good.
 */
export type ShownState =
  | "live"
  | "catchingUp"
  | "stale"
  | "disconnected"
  | "neverSeen"
  | "rejected"
  | "paused"
  | "unknown";

/** The words of a state and its rank. */
export interface StateWords {
  readonly word: string;
  /** For a count: "3 disconnected". */
  readonly countWord: string;
  /** 0 is the worst. */
  readonly rank: number;
  /** Whether it counts as a problem. */
  readonly isTrouble: boolean;
}

const words: Readonly<Record<ShownState, StateWords>> = {
  disconnected: { word: "disconnected", countWord: "disconnected", rank: 0, isTrouble: true },
  rejected: { word: "rejected", countWord: "rejected", rank: 1, isTrouble: true },
  stale: { word: "stale", countWord: "stale", rank: 2, isTrouble: true },
  unknown: { word: "not known", countWord: "not known", rank: 3, isTrouble: true },
  paused: { word: "paused", countWord: "paused", rank: 4, isTrouble: true },
  catchingUp: { word: "catching up", countWord: "catching up", rank: 5, isTrouble: false },
  neverSeen: { word: "never seen", countWord: "never seen", rank: 6, isTrouble: false },
  live: { word: "live", countWord: "live", rank: 7, isTrouble: false },
};

/** Every state, worst first. */
export const connectionStates = (Object.keys(words) as ShownState[]).sort((a, b) => words[a].rank - words[b].rank);

/** The shown state of a connection: `paused` takes precedence (HE16). */
export function shownState(connection: { readonly state: string; readonly reason: string } | undefined): ShownState {
  return connection?.reason === "paused" ? "paused" : parseConnectionState(connection?.state ?? "");
}

/** Parses a state from the wire. */
export function parseConnectionState(text: string): ShownState {
  return Object.hasOwn(words, text) ? (text as ShownState) : "unknown";
}

export function connectionWords(state: ShownState): StateWords {
  return words[state];
}
