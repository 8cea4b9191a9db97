// SPDX-License-Identifier: Apache-2.0
import type { ClusterId } from "../model/cluster-id.ts";
import { type ConnectionState, connectionSentence, type HealthState } from "./health-state.ts";
import type { ReasonClass } from "./reason.ts";

/** One change of a cluster's state (HE12), stored in history and sent to subscribers once each. */
export interface Transition {
  readonly cluster: ClusterId;
  readonly from: ConnectionState;
  readonly to: ConnectionState;
  readonly reason: ReasonClass;
  readonly sentence: string;
  /** The hub's wall clock at the change; for display and history. */
  readonly atMs: number;
}

/** The transition between two states of a cluster; undefined if its connection state did not change. */
export function transitionBetween(
  cluster: ClusterId,
  { before, after, atMs }: { readonly before: HealthState; readonly after: HealthState; readonly atMs: number },
): Transition | undefined {
  const { shown } = after;
  if (before.shown.state === shown.state) return undefined;
  const sentence = connectionSentence(shown);
  return { cluster, from: before.shown.state, to: shown.state, reason: shown.reason, sentence, atMs };
}
