// SPDX-License-Identifier: Apache-2.0
import type { Counter, Metrics } from "../../base/metrics.ts";
import { metricNames } from "../../telemetry/metric-names.ts";

/** Metrics of all standing queries together: a label for each would name the queries of users (SQ17). */
export interface StandingCounters {
  /** `ok` or `failed`. */
  readonly evaluations: Counter<"outcome">;
  /** Attempts: `accepted` or `failed`. */
  readonly deliveries: Counter<"outcome">;
}

/** Declares the metrics. */
export function createStandingCounters(metrics: Metrics): StandingCounters {
  return {
    evaluations: metrics.counter({
      name: metricNames.standingQueryEvaluations,
      help: "Evaluations of standing queries, by outcome: ok or failed.",
      labels: ["outcome"],
    }),
    deliveries: metrics.counter({
      name: metricNames.standingQueryDeliveries,
      help: "Attempts to deliver changes of standing queries, by outcome: accepted or failed.",
      labels: ["outcome"],
    }),
  };
}
