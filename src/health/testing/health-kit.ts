// SPDX-License-Identifier: Apache-2.0
// Inputs and states that tests of connection health share.

import { rbacResources } from "../../model/rbac-resources.ts";
import { type HealthStep, stepHealth } from "../connection-state.ts";
import type { ApiServerReport, HealthInput } from "../health-input.ts";
import { createHealthState, type HealthState } from "../health-state.ts";
import type { KindReport } from "../kind-freshness.ts";
import { createThresholds } from "../thresholds.ts";

export const heartbeatMs = 5_000;
export const thresholds = createThresholds();

export const answers: ApiServerReport = { fault: "", sinceMsAgo: 0, error: "", attemptCount: 0, retryInMs: 0 };

export function lostBy(fault: string, more: Partial<ApiServerReport> = {}): ApiServerReport {
  return { fault, sinceMsAgo: 0, error: "", attemptCount: 0, retryInMs: 0, ...more };
}

export function report(resource: string, more: Partial<KindReport> = {}): KindReport {
  return { resource, state: "watching", currentMsAgo: 0, fault: "", error: "", ...more };
}

/** What a healthy agent follows. */
export const followed: readonly string[] = [...rbacResources, "pods", "services"];

export function began(epoch = 1): HealthInput {
  return { kind: "sessionBegan", epoch, heartbeatMs };
}

export function ended(ending: "left" | "lost", epoch = 1): HealthInput {
  return { kind: "sessionEnded", epoch, ending, detail: "" };
}

export function beat(
  epoch = 1,
  {
    apiServer = answers,
    oldestWaitingMs,
  }: { readonly apiServer?: ApiServerReport; readonly oldestWaitingMs?: number } = {},
): HealthInput {
  return { kind: "heartbeat", epoch, apiServer, oldestWaitingMs };
}

export function statuses(epoch = 1, kinds: readonly KindReport[] = followed.map((kind) => report(kind))): HealthInput {
  return { kind: "kindStatuses", epoch, kinds };
}

export function equal(epoch = 1, kinds: readonly string[] = followed): HealthInput {
  return { kind: "compared", epoch, equal: kinds, differing: [] };
}

export function rejected(
  reason: Extract<HealthInput, { kind: "attemptRejected" }>["reason"],
  retryAfterMs = 60_000,
): HealthInput {
  return { kind: "attemptRejected", reason, retryAfterMs, detail: "" };
}

export const timePassed: HealthInput = { kind: "timePassed" };

/** Steps through inputs that come at one moment. */
export function feed(state: HealthState, inputs: readonly HealthInput[], nowMs: number): HealthStep {
  let step: HealthStep = { state, nextDueMs: undefined };
  for (const input of inputs) step = stepHealth(step.state, input, nowMs);
  return step;
}

/** What makes a session live, in the usual order. */
export function arrival(epoch = 1): readonly HealthInput[] {
  return [began(epoch), statuses(epoch), beat(epoch), equal(epoch)];
}

export function unseen(nowMs = 0): HealthState {
  return createHealthState({ thresholds, nowMs });
}

/** A cluster that is live at this moment. */
export function live(nowMs = 0): HealthState {
  return feed(unseen(nowMs), arrival(), nowMs).state;
}
