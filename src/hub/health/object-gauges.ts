// SPDX-License-Identifier: Apache-2.0
import { orAborted } from "../../base/abort.ts";
import type { MetricSpec, Metrics } from "../../base/metrics.ts";
import { guardAsync, type TaskGuard } from "../../base/task-guard.ts";
import type { Clock } from "../../base/time/clock.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import { hubSubject } from "../access/hub-subject.ts";
import type { FleetReader, KindSummary } from "../rows/fleet-reader.ts";

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

type GaugeLabels = Record<(typeof objectGaugeSpec.labels)[number], string>;

export interface ObjectGaugesOptions {
  readonly reader: FleetReader;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Runs each refresh; a failure affects only that refresh (L14). */
  readonly guard: TaskGuard;
}

/** Keeps the gauge equal to the fleet's rows. Only values that were ever above 0 have a series. */
export class ObjectGauges {
  readonly #reader: FleetReader;
  readonly #clock: Clock;
  readonly #guard: TaskGuard;
  readonly #gauge;
  #shown = new Map<string, GaugeLabels>();

  constructor({ reader, clock, metrics, guard }: ObjectGaugesOptions) {
    this.#reader = reader;
    this.#clock = clock;
    this.#guard = guard;
    this.#gauge = metrics.gauge(objectGaugeSpec);
  }

  /** Refreshes periodically until the signal aborts; rejects with its reason. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await orAborted(
        guardAsync(this.#guard, "object gauges", () => this.refresh()),
        signal,
      );
      await this.#clock.sleep(intervalMs, signal);
    }
  }

  /** Reads everything first: a failed read changes no gauge. */
  async refresh(): Promise<void> {
    const clusters = await this.#reader.listClusters(hubSubject);
    const summaries = await Promise.all(clusters.map((cluster) => this.#reader.summarize(hubSubject, cluster)));
    const before = this.#shown;
    this.#shown = new Map();
    for (const [at, cluster] of clusters.entries())
      for (const kind of summaries[at]?.kinds ?? []) this.#count(cluster, kind, before);
    for (const labels of before.values()) this.#gauge.set(labels, 0);
  }

  /** Sets the gauges of one kind and removes them from `before`. */
  #count(cluster: string, { resource, kind, statusCounts }: KindSummary, before: Map<string, GaugeLabels>): void {
    for (const status of troubles) {
      const key = `${cluster} ${resource} ${status}`;
      const count = statusCounts?.[status] ?? 0;
      if (count === 0) continue;
      const labels = { cluster, kind: kind === "" ? resource : kind, status };
      this.#gauge.set(labels, count);
      this.#shown.set(key, labels);
      before.delete(key);
    }
  }
}
