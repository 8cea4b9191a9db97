// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { createTaskGuard, type TaskGuard } from "../base/task-guard.ts";
import { metricNames } from "./names.ts";

/** A guard whose failures are counted in the metrics of the process. Several guards of one process count together. */
export function createCountedGuard({ log, metrics }: { readonly log: Logger; readonly metrics: Metrics }): TaskGuard {
  const failures = metrics.counter({
    name: metricNames.taskFailures,
    help: "Timers, ticks, observers, listeners and messages of agents that failed, by task. Any is a bug; the log has the first of each.",
    labels: ["task"],
  });
  return createTaskGuard({ log, failures });
}
