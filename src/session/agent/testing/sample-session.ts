// SPDX-License-Identifier: Apache-2.0
// A live session with rows to send, for tests of its steps.
import { firstPace } from "../flush-pace.ts";
import type { AgentSessionFacts, SessionOptions } from "../session-event.ts";
import type { AgentLiveState } from "../session-state.ts";

export const nowMs = 100_000;
export const options: SessionOptions = {
  hubName: "hub",
  syncIntervalMs: 30_000,
  minFlushIntervalMs: 100,
  maxFlushIntervalMs: 1_000,
};
export const facts: AgentSessionFacts = {
  nowMs,
  lastSeq: 4,
  changeCount: 1,
  hasWaiting: true,
  hasWaitingGrants: false,
  hasCredit: true,
};
export const pace = firstPace(options, nowMs - 10_000);

export const live: AgentLiveState = {
  kind: "live",
  pace,
  epoch: 7n,
  sinceMs: nowMs - 10_000,
  maxMessageBytes: 4_000_000,
  maxJoinedBytes: 256_000_000,
  heartbeatMs: 5_000,
  heartbeatNumber: 2,
  nextHeartbeatMs: nowMs,
  heardAtMs: nowMs - 1_000,
  heardCount: 3,
  syncIntervalMs: 30_000,
  nextScanMs: nowMs,
  isPaused: false,
  flush: "idle",
  hasLeftOver: false,
  repair: "none",
  isKindsAsked: false,
  creditPosition: 0,
};
