// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import type { MetricSpec, Metrics } from "../../base/metrics.ts";
import type { TaskGuard } from "../../base/task-guard.ts";
import { metricNames } from "../../telemetry/names.ts";
import type { Picture } from "../fleet/picture.ts";

/** Objects in trouble, for alerts (HE19). */
export const objectGaugeSpec = {
  name: metricNames.clusterObjects,
  help: "Objects of the cluster that are unhealthy or degraded, by kind.",
  labels: ["cluster", "kind", "status"],
} as const satisfies MetricSpec;

/** Between two looks: within the shortest usual scrape interval. A look reads two numbers for each kind, and no row. */
const intervalMs = 5_000;

/** The statuses that the gauge has series of. */
export const troubles = ["unhealthy", "degraded"] as const;

export interface ObjectGaugesOptions {
  readonly picture: Picture;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Runs each look: a failing one costs that look alone (L14). */
  readonly guard: TaskGuard;
}

/** Keeps the gauge of objects in trouble in line with the picture. Only what was ever above 0 has a series. */
export class ObjectGauges {
  readonly #picture: Picture;
  readonly #clock: Clock;
  readonly #guard: TaskGuard;
  readonly #gauge;
  #shown = new Map<string, Record<(typeof objectGaugeSpec.labels)[number], string>>();

  constructor({ picture, clock, metrics, guard }: ObjectGaugesOptions) {
    this.#picture = picture;
    this.#clock = clock;
    this.#guard = guard;
    this.#gauge = metrics.gauge(objectGaugeSpec);
  }

  /** Looks again and again until the signal aborts; rejects with its reason. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      this.#guard.run("object gauges", () => this.refresh());
      await this.#clock.sleep(intervalMs, signal);
    }
  }

  refresh(): void {
    const before = this.#shown;
    this.#shown = new Map();
    for (const { cluster, resource, kind, rowCount } of this.#picture.kinds()) {
      // Before a cluster's grants are complete nothing is told of its objects (L2).
      if (rowCount === 0 || !this.#picture.isRbacComplete(cluster)) continue;
      const counts = this.#picture.statusCounts(cluster, resource);
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
