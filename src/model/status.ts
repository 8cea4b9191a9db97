// SPDX-License-Identifier: Apache-2.0
import { cutText } from "./text.ts";

/** Every status, worst first (CO12). A status's place is its number on the wire (CO37), so the order never changes within a version. */
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
 * How an object fares.
 * - `unhealthy`: it does not do its work.
 * - `degraded`: it does part of its work.
 * - `progressing`: it is on its way to what was asked.
 * - `terminating`: it is being deleted.
 * - `suspended`: it is switched off on purpose.
 * - `unknown`: nobody can tell.
 * - `healthy`: it does its work.
 * - `completed`: its work is done.
 */
export type Status = (typeof statuses)[number];

/** A status and why, for people. */
export interface StatusReport {
  readonly status: Status;
  /** One word in CamelCase where the cluster gives one, "" otherwise. */
  readonly reason: string;
  /** One sentence, or "". */
  readonly message: string;
}

/** Longest reason in bytes; Kubernetes' own reasons are single words. */
export const maxReasonBytes = 128;

/** Longest message in bytes. It keeps a row within 1 KB of store and index, however long the cluster's text is. */
export const maxMessageBytes = 512;

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

/** The place of a status, 0 being the worst. */
export function statusRank(status: Status): number {
  return rankOf[status];
}

/** Makes a report whose texts are within their bounds; longer ones are cut (CO13). */
export function createStatusReport(status: Status, reason = "", message = ""): StatusReport {
  return { status, reason: cutText(reason, maxReasonBytes), message: cutText(message, maxMessageBytes) };
}

/** The worst of several statuses; `unknown` for none, because nothing known is not good news (CO12). */
export function worstStatus(all: Iterable<Status>): Status {
  let worst: Status | undefined;
  for (const status of all) {
    if (worst === undefined || rankOf[status] < rankOf[worst]) worst = status;
  }
  return worst ?? "unknown";
}
