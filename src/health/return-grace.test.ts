// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { rbacResources } from "../model/rbac-resources.ts";
import { stepHealth } from "./connection-state.ts";
import type { HealthInput } from "./health-input.ts";
import { createHealthState, type HealthState } from "./health-state.ts";
import { createThresholds } from "./thresholds.ts";

const kindNames = [...rbacResources, "pods", "services"];

function heartbeat(sinceMsAgo: number): HealthInput {
  const apiServer = { fault: "", sinceMsAgo, error: "", attemptCount: 0, retryInMs: 0 };
  return { kind: "heartbeat", epoch: 1, apiServer, oldestWaitingMs: undefined };
}

/** All kinds are watched but the Services, which fail like that. */
function statuses(fault: string): HealthInput {
  const kinds = kindNames.map((resource) =>
    resource === "services"
      ? { resource, state: "failed" as const, currentMsAgo: 40_000, fault, error: "it fails" }
      : { resource, state: "watching" as const, currentMsAgo: 0, fault: "", error: "" },
  );
  return { kind: "kindStatuses", epoch: 1, kinds };
}

const compared: HealthInput = { kind: "compared", epoch: 1, equal: kindNames, differing: [] };

function stateAfter(inputs: readonly HealthInput[]): string {
  let state: HealthState = createHealthState({ thresholds: createThresholds({}), nowMs: 0, lastSeenMsAgo: undefined });
  const all: readonly HealthInput[] = [{ kind: "sessionBegan", epoch: 1, heartbeatMs: 5_000 }, ...inputs];
  for (const input of all) ({ state } = stepHealth(state, input, 1_000));
  return state.shown.state;
}

test.each(["dns", "tcp", "tls", "timeout", "unauthorized"])(
  "[HE3][HE4] a kind cut off with %s is waited for while the API server is just back: what was deleted meanwhile is unknown",
  (fault) => {
    expect(stateAfter([heartbeat(2_000), statuses(fault), compared])).toBe("catchingUp");
    expect(stateAfter([heartbeat(61_000), statuses(fault), compared])).toBe("live");
  },
);

test.each(["forbidden", "notFound", "serverError", "overloaded", "expired"])(
  "[R-30] a kind that fails by %s stands in nobody's way",
  (fault) => {
    expect(stateAfter([heartbeat(2_000), statuses(fault), compared])).toBe("live");
  },
);

test("[HE4] what was compared while a kind failed proves nothing of when it is followed again: it is compared anew", () => {
  const returned: HealthInput = {
    kind: "kindStatuses",
    epoch: 1,
    kinds: [{ resource: "services", state: "watching", currentMsAgo: 0, fault: "", error: "" }],
  };
  const before = [heartbeat(2_000), statuses("tcp"), compared, returned];
  expect(stateAfter(before)).toBe("catchingUp");
  expect(stateAfter([...before, compared])).toBe("live");
});
