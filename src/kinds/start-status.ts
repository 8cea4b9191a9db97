// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import type { Projected } from "./kind.ts";

/** Deadline for the first ready Pod of a workload: the default of a Deployment's `progressDeadlineSeconds`. */
export const startDeadlineMs = 600_000;

/**
 * The status of a workload without a ready Pod: `progressing` within the deadline, `unhealthy` afterwards (KI20).
 * Undefined if the kind's rule decides: a Pod is ready, or the age was not measured.
 */
export function startStatus(
  { isWithoutAny, status }: Pick<Projected, "isWithoutAny" | "status">,
  generationForMs: number | undefined,
): StatusReport | undefined {
  if (isWithoutAny !== true || generationForMs === undefined) return undefined;
  if (generationForMs >= startDeadlineMs) return createStatusReport("unhealthy", "NoneAvailable", status?.message);
  return status?.status === "unhealthy" ? createStatusReport("progressing", "Starting", status.message) : undefined;
}
