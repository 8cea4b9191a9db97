// SPDX-License-Identifier: Apache-2.0
// What the page says and draws for a state that the hub decided (PG16). The one place: nothing else on the page knows a state by name.

/**
 * How a cluster is connected, as the hub says it (docs/spec/health.md HE1). `paused`: stale because an administrator paused it (HE16). `unknown` is any word that
 * this page does not know: never drawn as good.
 */
export type ConnectionState =
  | "live"
  | "catchingUp"
  | "stale"
  | "disconnected"
  | "neverSeen"
  | "rejected"
  | "paused"
  | "unknown";

/** A state's word, its place in "worst first", and the name of its colour and shape in the style sheets. */
export interface StateWords {
  readonly word: string;
  /** For a count: "3 disconnected". */
  readonly countWord: string;
  /** 0 is worst. */
  readonly rank: number;
  /** Whether people are told of it as trouble. */
  readonly isTrouble: boolean;
}

const words: Readonly<Record<ConnectionState, StateWords>> = {
  disconnected: { word: "disconnected", countWord: "disconnected", rank: 0, isTrouble: true },
  rejected: { word: "rejected", countWord: "rejected", rank: 1, isTrouble: true },
  stale: { word: "stale", countWord: "stale", rank: 2, isTrouble: true },
  unknown: { word: "not known", countWord: "not known", rank: 3, isTrouble: true },
  paused: { word: "paused", countWord: "paused", rank: 4, isTrouble: true },
  catchingUp: { word: "catching up", countWord: "catching up", rank: 5, isTrouble: false },
  neverSeen: { word: "never seen", countWord: "never seen", rank: 6, isTrouble: false },
  live: { word: "live", countWord: "live", rank: 7, isTrouble: false },
};

/** Every state, the worst first. */
export const connectionStates = (Object.keys(words) as ConnectionState[]).sort((a, b) => words[a].rank - words[b].rank);

/** How a cluster's connection is shown: its state, or that it is paused, which comes first (HE16). */
export function shownState(
  connection: { readonly state: string; readonly reason: string } | undefined,
): ConnectionState {
  return connection?.reason === "paused" ? "paused" : parseConnectionState(connection?.state ?? "");
}

/** The state of a word on the wire. */
export function parseConnectionState(text: string): ConnectionState {
  return Object.hasOwn(words, text) ? (text as ConnectionState) : "unknown";
}

export function connectionWords(state: ConnectionState): StateWords {
  return words[state];
}
