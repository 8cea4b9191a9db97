// SPDX-License-Identifier: Apache-2.0
// What passes between the bench and the processes that play agents.

/** What a driver plays. */
export interface DriverPlan {
  readonly url: string;
  readonly ca: string;
  readonly hubName: string;
  readonly joinToken: string;
  /** Agents are named by this and a number. */
  readonly namePrefix: string;
  readonly firstNumber: number;
  readonly region: string;
  readonly agentCount: number;
  /** Apps of each cluster; each has some six rows. */
  readonly appCount: number;
}

/** To a driver. */
export type DriverOrder =
  /** Every agent makes a change about that often, for so long. The row's name says when. */
  { readonly kind: "change"; readonly everyMs: number; readonly forMs: number } | { readonly kind: "leave" };

/** From a driver. */
export type DriverNews =
  /** How many of its agents have a live session now, and how often they have dialled so far. */
  | { readonly kind: "live"; readonly count: number; readonly dialCount: number }
  | { readonly kind: "changed"; readonly count: number }
  | { readonly kind: "left" };

/** The agent's default of `--reconnect-stable`: after so long a live session it has forgotten the failures before. */
export const reconnectStableMs = 60_000;

/** How rows that were made to be timed are called; behind it the time of the change. */
export const changePrefix = "change-";

/** A clock that all processes of one machine share, in milliseconds. */
export function sharedNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
