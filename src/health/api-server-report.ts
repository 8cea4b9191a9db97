// SPDX-License-Identifier: Apache-2.0

/** Faults by which an API server counts as lost, or as degraded (the last two) (HE5). */
export type ApiServerFault = "unauthorized" | "tls" | "dns" | "tcp" | "timeout" | "overloaded" | "serverError";

/** What an agent says of its API server in a heartbeat. Durations are as of receipt. */
export interface ApiServerReport {
  /** "" = it answers. Any other text = lost; a receiver may meet a fault that it does not know. */
  readonly fault: ApiServerFault | "" | (string & {});
  /** How long it has been so. */
  readonly sinceMsAgo: number;
  /** One sentence about the fault; with the fault "" what degrades it, if anything. */
  readonly error: string;
  /** Attempts since it was lost, and when the next one comes. */
  readonly attemptCount: number;
  readonly retryInMs: number;
}
