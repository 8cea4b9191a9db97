// SPDX-License-Identifier: Apache-2.0

/** Faults that make an API server lost, or degraded (the last two) (HE5). */
export type ApiServerFault = "unauthorized" | "tls" | "dns" | "tcp" | "timeout" | "overloaded" | "serverError";

/** An agent's report of its API server in a heartbeat. Durations are as of receipt. */
export interface ApiServerReport {
  /** "": it answers. Any other text: lost; a receiver can meet a fault that it does not know. */
  readonly fault: ApiServerFault | "" | (string & {});
  /** Time in this state. */
  readonly sinceMsAgo: number;
  /** One sentence about the fault; with the fault "", the cause of degradation, if any. */
  readonly error: string;
  /** Attempts since it was lost, and the time until the next one. */
  readonly attemptCount: number;
  readonly retryInMs: number;
}
