// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import type { MetricSpec, Metrics } from "../../base/metrics.ts";
import type { TaskGuard } from "../../base/task-guard.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import type { FleetRows } from "../rows/fleet-rows.ts";

/** Counts unhealthy and degraded objects, for alerts (HE19). */
export const objectGaugeSpec = {
  name: metricNames.clusterObjects,
  help: "Objects of the cluster that are unhealthy or degraded, by kind.",
  labels: ["cluster", "kind", "status"],
} as const satisfies MetricSpec;

/** Refresh interval: shorter than usual scrape intervals. A refresh reads two numbers per kind, and no rows. */
const intervalMs = 5_000;

/** The statuses with a series. */
export const troubles = ["unhealthy", "degraded"] as const;

export interface ObjectGaugesOptions {
  readonly fleetRows: FleetRows;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Runs each refresh; a failure affects only that refresh (L14). */
  readonly guard: TaskGuard;
}

/** Keeps the gauge equal to the fleet's rows. Only values that were ever above 0 have a series. */
export class ObjectGauges {
  readonly #fleetRows: FleetRows;
  readonly #clock: Clock;
  readonly #guard: TaskGuard;
  readonly #gauge;
  #shown = new Map<string, Record<(typeof objectGaugeSpec.labels)[number], string>>();

  constructor({ fleetRows, clock, metrics, guard }: ObjectGaugesOptions) {
    this.#fleetRows = fleetRows;
    this.#clock = clock;
    this.#guard = guard;
    this.#gauge = metrics.gauge(objectGaugeSpec);
  }

  /** Refreshes periodically until the signal aborts; rejects with its reason. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      this.#guard.run("object gauges", () => this.refresh());
      await this.#clock.sleep(intervalMs, signal);
    }
  }

  refresh(): void {
    const before = this.#shown;
    this.#shown = new Map();
    for (const { cluster, resource, kind, rowCount } of this.#fleetRows.kinds()) {
      // Objects are not counted before the cluster's grants are complete (L2).
      if (rowCount === 0 || !this.#fleetRows.isRbacComplete(cluster)) continue;
      const counts = this.#fleetRows.statusCounts(cluster, resource);
      for (const status of troubles) {
        const key = `${cluster} ${resource} ${status}`;
        if (counts[status] === 0 && !before.has(key)) continue;
        const labels = { cluster, kind: kind === "" ? resource : kind, status };
        this.#gauge.set(labels, counts[status]);
        if (counts[status] > 0) this.#shown.set(key, labels);
        before.delete(key);
      }
    }
    for (const labels of before.values()) this.#gauge.set(labels, 0);
  }
}
