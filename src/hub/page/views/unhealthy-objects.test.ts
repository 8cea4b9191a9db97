// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type Status, statuses } from "../../../model/status.ts";
import type { StatusCounts } from "../../rows/fleet-reader.ts";
import { countTrouble } from "./unhealthy-objects.ts";

function kindOf(resource: string, counts: Partial<StatusCounts> | undefined) {
  const none = Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>;
  const statusCounts = counts === undefined ? undefined : { ...none, ...counts };
  return {
    resource,
    kind: "Thing",
    rowCount: 1,
    receivedAtMs: 0,
    position: 1,
    statusCounts,
    troubledSinceMs: undefined,
    isWhole: true,
  };
}

test("[PG24] what is unhealthy or degraded is counted, by kind and in order of the kinds; nothing else is trouble", () => {
  const pods = kindOf("pods", { unhealthy: 1, degraded: 1, progressing: 1, healthy: 1 });
  const nodes = kindOf("nodes", { degraded: 1 });
  const jobs = kindOf("jobs", { completed: 1, terminating: 1, suspended: 1, unknown: 1 });
  expect(countTrouble({ kinds: [pods, nodes, jobs, kindOf("hidden", undefined)] })).toEqual([
    { resource: "nodes", kind: "Thing", count: 1 },
    { resource: "pods", kind: "Thing", count: 2 },
  ]);
});
