// SPDX-License-Identifier: Apache-2.0

import type { MetricSpec, Metrics } from "../../base/metrics.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import type { ViewName } from "./live-view.ts";

/** All metrics of the page's live views. */
export const pageMetricSpecs = {
  streams: { name: metricNames.pageStreams, help: "Open page streams." },
  subscriptions: {
    name: metricNames.pageSubscriptions,
    help: "Subscriptions of open pages, by view.",
    labels: ["view"],
  },
  updates: { name: metricNames.pageUpdates, help: "Updates sent to pages, by view.", labels: ["view"] },
  encodedBytes: {
    name: metricNames.pageEncodedBytes,
    help: "Bytes of updates encoded for pages, by view; an update shared by many pages is encoded once.",
    labels: ["view"],
  },
} as const satisfies Readonly<Record<string, MetricSpec>>;

/** Measures the cost of open pages. */
export class PageMetrics {
  readonly #streams;
  readonly #subscriptions;
  readonly #updates;
  readonly #encodedBytes;
  readonly #counts = new Map<ViewName, number>();

  constructor(metrics: Metrics) {
    this.#streams = metrics.gauge(pageMetricSpecs.streams);
    this.#subscriptions = metrics.gauge(pageMetricSpecs.subscriptions);
    this.#updates = metrics.counter(pageMetricSpecs.updates);
    this.#encodedBytes = metrics.counter(pageMetricSpecs.encodedBytes);
  }

  setStreams(count: number): void {
    this.#streams.set({}, count);
  }

  subscribed(view: ViewName, by: 1 | -1): void {
    const count = (this.#counts.get(view) ?? 0) + by;
    this.#counts.set(view, count);
    this.#subscriptions.set({ view }, count);
  }

  sent(view: ViewName): void {
    this.#updates.add({ view });
  }

  encoded(view: ViewName, bytes: number): void {
    this.#encodedBytes.add({ view }, bytes);
  }
}
