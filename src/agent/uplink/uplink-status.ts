// SPDX-License-Identifier: Apache-2.0
import type { SessionEnding } from "../../session/agent/session-event.ts";

/** The agent's connection to its hub, for its health endpoint and its log. */
export interface UplinkStatus {
  /** `waiting`: between two attempts. `stopped`: the agent was asked to stop. */
  readonly state: "dialling" | "greeting" | "proving" | "live" | "leaving" | "waiting" | "stopped";
  /** Why it is not live: a reason of the hub or an error code; "" if nothing has failed. */
  readonly reason: string;
  /** The reason as one sentence. */
  readonly detail: string;
  /** Attempts since the last live session. */
  readonly attemptCount: number;
  /** By the agent's wall clock, for display. */
  readonly lastAttemptAtMs: number;
  /** Only while waiting. */
  readonly nextAttemptAtMs: number | undefined;
}

/** Reason and sentence of an ending. */
export function describeEnding(ending: SessionEnding): { readonly reason: string; readonly detail: string } {
  switch (ending.kind) {
    case "left":
      return { reason: "LEFT", detail: "the agent was asked to stop" };
    case "drained":
      return { reason: "DRAINED", detail: "the hub closes and asked the agent to come back" };
    case "rejected":
      return { reason: ending.reason, detail: ending.detail };
    case "lost":
      return { reason: ending.error.code, detail: ending.error.message };
  }
}
