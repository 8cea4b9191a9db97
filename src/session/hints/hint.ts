// SPDX-License-Identifier: Apache-2.0
// Types and limits of hints that both ends share; see docs/spec/session.md, SE65 to SE69.
import type { FlotillaError } from "../../base/error.ts";

/** An object that another system may have changed. */
export interface HintedObject {
  /** The resource id as text. */
  readonly resource: string;
  /** "" for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
}

/** A hint as sent in the session. The answer repeats the number. */
export interface ObjectHint extends HintedObject {
  readonly number: number;
}

/** What became of the row of a hinted object. */
export type HintResult =
  /** It has changed. */
  | "refreshed"
  /** The object is in the state of the row. */
  | "unchanged"
  /** The API server has no such object; the row stays (L4). */
  | "notFound"
  /** It was left to the list or watch that is delivering it (SE67). */
  | "leftToWatch";

/** An agent's answer: the result, or the error for the caller. */
export interface HintAnswer {
  readonly number: number;
  readonly result: HintResult | FlotillaError;
}

/** Most hints of one cluster that await their answer (SE66): far below what an API server serves at once. */
export const maxHintsOfCluster = 8;

/** Most hints that an agent reads at once: twice the hub's limit, because the hub stops waiting before it does. */
export const maxHintsOfAgent = 2 * maxHintsOfCluster;

/**
 * Hints of one cluster, at each end (SE66): about the requests of one controller, and below the 20 a second that
 * client-go allows itself by default.
 */
export const hintRate = { burstCount: 20, perSecond: 5 } as const;

/** Most bytes of each name in a hint. A longer one is refused by the agent as no name. */
export const maxHintNameBytes = 1_024;
