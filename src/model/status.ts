// SPDX-License-Identifier: Apache-2.0
import { cutText } from "./text.ts";

/**
 * Every status, worst first (CO12). A status's index is its number on the wire (CO37), so the order never changes
 * within a version.
 */
export const statuses = [
  "unhealthy",
  "degraded",
  "progressing",
  "terminating",
  "suspended",
  "unknown",
  "healthy",
  "completed",
] as const;

/**
 * The status of an object:
 * - `unhealthy`: it does not work.
 * - `degraded`: it works in part.
 * - `progressing`: it is being brought to its desired state.
 * - `terminating`: it is being deleted.
 * - `suspended`: it is switched off on purpose.
 * - `unknown`: its state cannot be determined.
 * - `healthy`: it works.
 * - `completed`: its work is done.
 */
export type Status = (typeof statuses)[number];

/** A status with its cause, for users. */
export interface StatusReport {
  readonly status: Status;
  /** One word in CamelCase if the cluster reports one, else "". */
  readonly reason: string;
  /** One sentence, or "". */
  readonly message: string;
}

/** Longest reason in bytes; Kubernetes' own reasons are single words. */
const maxReasonBytes = 128;

/** Longest message in bytes. Keeps a row within 1 KB of store and index, however long the cluster's text is. */
const maxMessageBytes = 512;

const rankOf: Readonly<Record<Status, number>> = {
  unhealthy: 0,
  degraded: 1,
  progressing: 2,
  terminating: 3,
  suspended: 4,
  unknown: 5,
  healthy: 6,
  completed: 7,
};

/** The rank of a status; 0 is the worst. */
export function statusRank(status: Status): number {
  return rankOf[status];
}

/** Creates a report with texts cut to their bounds (CO13). */
export function createStatusReport(status: Status, reason = "", message = ""): StatusReport {
  return { status, reason: cutText(reason, maxReasonBytes), message: cutText(message, maxMessageBytes) };
}
