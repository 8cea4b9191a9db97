// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type Status, type StatusReport } from "./status.ts";

/** The progress of a deployment's instance, as users see it (U-39). */
export const instanceStates = ["pending", "scheduled", "starting", "running", "failed"] as const;

/** A state of an instance. */
export type InstanceState = (typeof instanceStates)[number];

const statusOfInstance: Readonly<Record<InstanceState, Status>> = {
  pending: "progressing",
  scheduled: "progressing",
  starting: "progressing",
  running: "healthy",
  failed: "unhealthy",
};

/** The status of an instance (CO18). */
export function instanceStatus(state: InstanceState): Status {
  return statusOfInstance[state];
}

/** The result of a sentinel's own health checks, as its row in `sentinels` holds it. */
export type SentinelHealth = "unknown" | "paused" | "healthy" | "unhealthy";

/** The inputs of a sentinel's status (U-10). */
export interface SentinelFacts {
  readonly health: SentinelHealth;
  readonly desiredReplicaCount: number;
  readonly availableReplicaCount: number;
}

/** The status of a sentinel (CO19). */
export function sentinelStatus(facts: SentinelFacts): StatusReport {
  const { health, desiredReplicaCount: desired, availableReplicaCount: available } = facts;
  if (health === "paused") return createStatusReport("suspended", "Paused");
  if (desired === 0) return createStatusReport("suspended", "NoReplicaDesired");
  if (health === "unhealthy") return createStatusReport("unhealthy", "HealthCheckFailed");
  if (health === "unknown")
    return available === 0
      ? createStatusReport("progressing", "Starting", `0 of ${desired} available`)
      : createStatusReport("unknown", "NoHealthReport");
  if (available === 0) return createStatusReport("unhealthy", "NoReplicaAvailable", `0 of ${desired} available`);
  if (available < desired)
    return createStatusReport("degraded", "ReplicasMissing", `${available} of ${desired} available`);
  return createStatusReport("healthy");
}
