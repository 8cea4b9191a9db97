// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createRpcMetrics } from "../../rpc/server/rpc-metrics.ts";
import { metricNames, seedMetricNames } from "../../telemetry/metric-names.ts";
import { PromMetrics } from "../../telemetry/prom-metrics.ts";
import { createFleetCounters } from "../fleet/fleet-counters.ts";
import { HealthMetrics } from "./health-metrics.ts";

test("what the hub serves at /metrics has no name outside of the table", async () => {
  const metrics = new PromMetrics({ ofProcess: true });
  createRpcMetrics(metrics);
  createFleetCounters(metrics);
  void new HealthMetrics(metrics);
  const { body } = await metrics.render();
  const served = [...body.matchAll(/^# TYPE (\S+)/gm)].flatMap(([, name]) => name ?? []);
  const own = served.filter((name) => !/^(nodejs|process)_/.test(name));
  const table = new Set<string>([...Object.values(metricNames), ...seedMetricNames]);
  expect(own.filter((name) => !table.has(name))).toEqual([]);
  expect(own).toContain(metricNames.clusterState);
  expect(own.length).toBeGreaterThan(20);
  expect(served.length).toBeGreaterThan(own.length);
});
