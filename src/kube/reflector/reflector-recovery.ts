// SPDX-License-Identifier: Apache-2.0
import type { KubeError } from "../kube-error.ts";

/** The step that failed: a page of a list, a WatchList before its list was complete, or a resumed watch. */
export type FailedStep = "list" | "watchList" | "watch";

/**
 * The reaction to a failure. `relist`: the position has expired, list at once (KU12). `pages`: WatchList is not
 * supported, list at once in pages (KU11). `poll`: watch is refused, try to list (KU16). `retry`: the same step again,
 * after a delay (KU14).
 */
export type Move = "relist" | "pages" | "poll" | "retry";

/** The statuses with which servers without WatchList refuse its parameters: Bad Request and Unprocessable Entity. */
const noWatchList: ReadonlySet<number | undefined> = new Set([400, 422]);
const methodNotAllowed = 405;

/**
 * Chooses the reaction to a failed step. `isExpiredAgain`: the position from the last `relist` expired before it was
 * used.
 */
export function chooseRecovery(step: FailedStep, { fault, status }: KubeError, isExpiredAgain: boolean): Move {
  if (fault === "expired") return isExpiredAgain ? "retry" : "relist";
  if (step === "watchList" && noWatchList.has(status)) return "pages";
  if (step !== "list" && (fault === "forbidden" || status === methodNotAllowed)) return "poll";
  return "retry";
}
