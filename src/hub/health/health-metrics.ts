// SPDX-License-Identifier: Apache-2.0
import type { MetricSpec, Metrics } from "../../base/metrics.ts";
import type { ConnectionState } from "../../health/health-state.ts";
import { isLoss } from "../../health/health-state.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import type { ClusterView, HealthChange } from "./cluster-view.ts";

/** All metrics of connection health. Alert rules in deploy/alerts use these names. */
export const healthMetricSpecs = {
  state: {
    name: metricNames.clusterState,
    help: "1 for the cluster's current connection state, 0 for its previous ones.",
    labels: ["cluster", "state"],
  },
  flapping: {
    name: metricNames.clusterFlapping,
    help: "1 while the cluster's connection is flapping.",
    labels: ["cluster"],
  },
  paused: {
    name: metricNames.clusterPaused,
    help: "1 while an administrator has paused the cluster; alerts do not fire then.",
    labels: ["cluster"],
  },
  failingKinds: {
    name: metricNames.clusterFailingKinds,
    help: "Kinds of the cluster that cannot be read; their last known rows are kept.",
    labels: ["cluster"],
  },
  losses: {
    name: metricNames.clusterLosses,
    help: "Times the cluster's connection was lost or fell behind.",
    labels: ["cluster"],
  },
  attempts: {
    name: metricNames.clusterReconnectAttempts,
    help: "Attempts to reconnect after a loss, including successful ones.",
    labels: ["cluster"],
  },
  seconds: {
    name: metricNames.clusterReconnectSeconds,
    help: "Seconds between losses and the cluster being live again.",
    labels: ["cluster"],
  },
  relistedObjects: {
    name: metricNames.clusterRelistedObjects,
    help: "Objects sent between a loss and the cluster being live again.",
    labels: ["cluster"],
  },
  relistedBytes: {
    name: metricNames.clusterRelistedBytes,
    help: "Bytes sent between a loss and the cluster being live again.",
    labels: ["cluster"],
  },
} as const satisfies Readonly<Record<string, MetricSpec>>;

interface Outage {
  readonly sinceMs: number;
  attemptCount: number;
}

/** Counts the cost of outages per cluster, and keeps the gauges equal to the views. */
export class HealthMetrics {
  readonly #state;
  readonly #flapping;
  readonly #paused;
  readonly #failingKinds;
  readonly #losses;
  readonly #attempts;
  readonly #seconds;
  readonly #relistedObjects;
  readonly #relistedBytes;
  readonly #outages = new Map<string, Outage>();

  constructor(metrics: Metrics) {
    this.#state = metrics.gauge(healthMetricSpecs.state);
    this.#flapping = metrics.gauge(healthMetricSpecs.flapping);
    this.#paused = metrics.gauge(healthMetricSpecs.paused);
    this.#failingKinds = metrics.gauge(healthMetricSpecs.failingKinds);
    this.#losses = metrics.counter(healthMetricSpecs.losses);
    this.#attempts = metrics.counter(healthMetricSpecs.attempts);
    this.#seconds = metrics.counter(healthMetricSpecs.seconds);
    this.#relistedObjects = metrics.counter(healthMetricSpecs.relistedObjects);
    this.#relistedBytes = metrics.counter(healthMetricSpecs.relistedBytes);
  }

  /**
   * Initialises a cluster's gauges, and its losses with 0, because Prometheus sees a counter rise only from a value
   * that it has scraped. A cluster that is disconnected when the hub starts is no new loss.
   */
  began(view: ClusterView): void {
    const { cluster, connection } = view;
    this.#show(view);
    this.#losses.add({ cluster }, 0);
    if (connection.state === "disconnected") this.#beginOutage(cluster, connection.sinceMs);
  }

  /**
   * Only states that the cluster has been in have a series: six per cluster would fill the bound on label sets with
   * zeros.
   */
  changed({ cluster, view, transition }: HealthChange, before: ConnectionState, nowMs: number): void {
    if (view === undefined || view.connection.state !== before) {
      this.#state.set({ cluster, state: before }, 0);
    }
    if (view === undefined) {
      this.#outages.delete(cluster);
      this.#flapping.set({ cluster }, 0);
      this.#paused.set({ cluster }, 0);
      this.#failingKinds.set({ cluster }, 0);
      return;
    }
    this.#show(view);
    this.#countAttempts(view);
    if (transition === undefined) return;
    const { to, reason } = transition;
    if (isLoss({ state: to, reason })) this.#lose(cluster, nowMs);
    else if (to === "live" || reason === "paused") this.#endOutage(cluster, nowMs);
  }

  /** Counts the successful attempt of an accepted session. */
  sessionBegan(cluster: string): void {
    if (this.#outages.has(cluster)) this.#attempts.add({ cluster });
  }

  setFailingKinds(cluster: string, kindCount: number): void {
    this.#failingKinds.set({ cluster }, kindCount);
  }

  /** Counts rows received during an outage. */
  received(cluster: string, { objectCount, bytes }: { readonly objectCount: number; readonly bytes: number }): void {
    if (!this.#outages.has(cluster)) return;
    this.#relistedObjects.add({ cluster }, objectCount);
    this.#relistedBytes.add({ cluster }, bytes);
  }

  #show({ cluster, connection, pause }: ClusterView): void {
    this.#state.set({ cluster, state: connection.state }, 1);
    this.#flapping.set({ cluster }, connection.isFlapping ? 1 : 0);
    this.#paused.set({ cluster }, pause === undefined ? 0 : 1);
  }

  #lose(cluster: string, sinceMs: number): void {
    if (this.#outages.has(cluster)) return;
    this.#beginOutage(cluster, sinceMs);
    this.#losses.add({ cluster });
  }

  #beginOutage(cluster: string, sinceMs: number): void {
    this.#outages.set(cluster, { sinceMs, attemptCount: 0 });
  }

  #countAttempts({ cluster, connection }: ClusterView): void {
    const outage = this.#outages.get(cluster);
    if (outage === undefined) return;
    const moreCount = connection.attemptCount - outage.attemptCount;
    if (moreCount > 0) this.#attempts.add({ cluster }, moreCount);
    outage.attemptCount = connection.attemptCount;
  }

  #endOutage(cluster: string, nowMs: number): void {
    const outage = this.#outages.get(cluster);
    if (outage === undefined) return;
    this.#outages.delete(cluster);
    this.#seconds.add({ cluster }, (nowMs - outage.sinceMs) / 1_000);
  }
}
