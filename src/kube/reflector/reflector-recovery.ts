// SPDX-License-Identifier: Apache-2.0
import type { KubeError } from "../kube-error.ts";

/** What failed: a page of a list, a WatchList before its list was complete, or a watch that resumed. */
export type FailedStep = "list" | "watchList" | "watch";

/**
 * What a failure leads to. `relist`: the position is gone, list at once (KU12). `pages`: no WatchList here, list at once in pages (KU11). `poll`: watch is
 * refused, see whether a list is (KU16). `retry`: the same again, after a while (KU14).
 */
export type Move = "relist" | "pages" | "poll" | "retry";

/** Statuses by which servers without WatchList refuse its parameters: Bad Request and Unprocessable Entity. */
const noWatchList: ReadonlySet<number | undefined> = new Set([400, 422]);
const methodNotAllowed = 405;

/** Decides from the step and its failure. `isExpiredAgain`: the position made since the last `relist` expired without having been of use. */
export function chooseRecovery(step: FailedStep, { fault, status }: KubeError, isExpiredAgain: boolean): Move {
  if (fault === "expired") return isExpiredAgain ? "retry" : "relist";
  if (step === "watchList" && noWatchList.has(status)) return "pages";
  if (step !== "list" && (fault === "forbidden" || status === methodNotAllowed)) return "poll";
  return "retry";
}
