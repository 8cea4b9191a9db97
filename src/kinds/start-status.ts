// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import type { Projected } from "./kind.ts";

/** How long a workload may take to its first ready Pod: Kubernetes' own default for Deployments, `progressDeadlineSeconds`. */
export const startDeadlineMs = 600_000;

/**
 * The status of a workload without a ready Pod: on its way within the deadline, `unhealthy` afterwards (KI20). Undefined where the kind's rule
 * decides: some Pod is ready, or nobody has measured.
 */
export function startStatus(
  { isWithoutAny, status }: Pick<Projected, "isWithoutAny" | "status">,
  generationForMs: number | undefined,
): StatusReport | undefined {
  if (isWithoutAny !== true || generationForMs === undefined) return undefined;
  if (generationForMs >= startDeadlineMs) return createStatusReport("unhealthy", "NoneAvailable", status?.message);
  return status?.status === "unhealthy" ? createStatusReport("progressing", "Starting", status.message) : undefined;
}
