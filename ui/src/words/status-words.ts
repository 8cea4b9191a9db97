// SPDX-License-Identifier: Apache-2.0
// What the page says and draws for the status of an object. Square shapes, so that nobody takes a broken Pod for a lost cluster.

/** Every status, the worst first. */
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

/** The status of a word on the wire; one that this page does not know is not known. */
export function parseObjectStatus(text: string): ObjectStatus {
  return objectStatuses.find((status) => status === text) ?? "unknown";
}
