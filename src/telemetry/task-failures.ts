// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import { createTaskGuard, type TaskGuard } from "../base/task-guard.ts";
import { metricNames } from "./metric-names.ts";

/** A guard that counts failures in the process's metrics. Several guards of one process share the counter. */
export function createCountedGuard({ log, metrics }: { readonly log: Logger; readonly metrics: Metrics }): TaskGuard {
  const failures = metrics.counter({
    name: metricNames.taskFailures,
    help: "Failures of background tasks (timers, observers, listeners, agents' messages), by task. Each is a bug; the log has the first of each task.",
    labels: ["task"],
  });
  return createTaskGuard({ log, failures });
}
