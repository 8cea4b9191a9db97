// SPDX-License-Identifier: Apache-2.0
import type { Metrics } from "../../../src/base/metrics.ts";
import { silentMetrics } from "../../../src/base/testing/silent-metrics.ts";
import { metricNames } from "../../../src/telemetry/metric-names.ts";
import type { World } from "../../support/sim/world.ts";

/** The counter of what is refused whole (N-25). */
const refusals = "flotilla_session_refusals_total";

/**
 * Metrics that keep nothing, but write each refusal that is counted into the trace. A guarded task that fails is a
 * violation: the guard hides it from the world.
 */
export function tracedMetrics({ trace }: World, violations: string[]): Metrics {
  return {
    ...silentMetrics,
    counter: (spec) => {
      if (spec.name === refusals) return { add: (labels) => trace.add(`refused ${JSON.stringify(labels)}`) };
      if (spec.name === metricNames.taskFailures)
        return { add: (labels) => violations.push(`a guarded task failed: ${JSON.stringify(labels)}`) };
      return silentMetrics.counter(spec);
    },
  };
}
