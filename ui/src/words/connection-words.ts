// SPDX-License-Identifier: Apache-2.0
// What the page says and draws for a state that the hub decided (PG16). The one place: nothing else on the page knows a state by name.

/** How a cluster is connected, as the hub says it (docs/spec/health.md HE1). `unknown` is any word that this page does not know: never drawn as good. */
export type ConnectionState = "live" | "catchingUp" | "stale" | "disconnected" | "neverSeen" | "rejected" | "unknown";

/** A state's word, its place in "worst first", and the name of its colour and shape in the style sheets. */
export interface StateWords {
  readonly word: string;
  /** For a count: "3 lost". */
  readonly countWord: string;
  /** 0 is worst. */
  readonly rank: number;
  /** Whether people are told of it as trouble. */
  readonly isTrouble: boolean;
}

const words: Readonly<Record<ConnectionState, StateWords>> = {
  disconnected: { word: "lost", countWord: "lost", rank: 0, isTrouble: true },
  rejected: { word: "refused", countWord: "refused", rank: 1, isTrouble: true },
  stale: { word: "stale", countWord: "stale", rank: 2, isTrouble: true },
  unknown: { word: "not known", countWord: "not known", rank: 3, isTrouble: true },
  catchingUp: { word: "catching up", countWord: "catching up", rank: 4, isTrouble: false },
  neverSeen: { word: "not yet connected", countWord: "not yet connected", rank: 5, isTrouble: false },
  live: { word: "live", countWord: "live", rank: 6, isTrouble: false },
};

/** Every state, the worst first. */
export const connectionStates = (Object.keys(words) as ConnectionState[]).sort((a, b) => words[a].rank - words[b].rank);

/** The state of a word on the wire. */
export function parseConnectionState(text: string): ConnectionState {
  return Object.hasOwn(words, text) ? (text as ConnectionState) : "unknown";
}

export function connectionWords(state: ConnectionState): StateWords {
  return words[state];
}
