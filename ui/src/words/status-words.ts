// SPDX-License-Identifier: Apache-2.0
// Statuses of objects. Their shapes are square, so that a broken Pod does not look like a lost cluster.

/** Every status, worst first. */
export const objectStatuses = [
  "unhealthy",
  "degraded",
  "progressing",
  "terminating",
  "suspended",
  "unknown",
  "healthy",
  "completed",
] as const;
export type ObjectStatus = (typeof objectStatuses)[number];

/** Parses a status from the wire; `unknown` for one that this page does not know. */
export function parseObjectStatus(text: string): ObjectStatus {
  return objectStatuses.find((status) => status === text) ?? "unknown";
}
