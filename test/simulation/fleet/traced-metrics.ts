// SPDX-License-Identifier: Apache-2.0
import { type Metrics, silentMetrics } from "../../../src/base/metrics.ts";
import type { World } from "../../support/sim/world.ts";

/** The counter of what is refused whole (N-25). */
const refusals = "flotilla_session_refusals_total";

/** Metrics that keep nothing, but write each refusal that is counted into the trace. */
export function tracedMetrics({ trace }: World): Metrics {
  return {
    ...silentMetrics,
    counter: (spec) => {
      if (spec.name !== refusals) return silentMetrics.counter(spec);
      return { add: (labels) => trace.add(`refused ${JSON.stringify(labels)}`) };
    },
  };
}
