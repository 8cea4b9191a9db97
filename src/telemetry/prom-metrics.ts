// SPDX-License-Identifier: Apache-2.0
import {
  collectDefaultMetrics,
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry,
} from "prom-client";
import { assert } from "../base/assert.ts";
import type { Counter, Gauge, Histogram, MetricSpec, Metrics } from "../base/metrics.ts";
import { metricPrefix } from "../model/names.ts";
import { type LabelSet, LabelSets } from "./label-sets.ts";
import { metricNames, seedMetricNames } from "./metric-names.ts";

/** The response of `/metrics`. */
export interface RenderedMetrics {
  readonly contentType: string;
  readonly body: string;
}

export interface PromMetricsOptions {
  /**
   * Maximum label sets per metric. Default 60,000: 1,000 clusters with 60 kinds each, about 6 MB per scrape; most
   * fleets have a tenth of that.
   */
  readonly maxLabelSetCount?: number;
  /**
   * True adds CPU, memory, garbage collection and event loop metrics of this process. They exist until the process
   * ends.
   */
  readonly ofProcess?: boolean;
}

const defaultMaxLabelSetCount = 60_000;

/**
 * Metrics in Prometheus' text format, in their own registry. Names start with `flotilla_` or are in `seedMetricNames`.
 * A name declared twice must be declared identically. Anything else is a bug and throws at once.
 */
export class PromMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter<string>>();
  readonly #gauges = new Map<string, Gauge<string>>();
  readonly #histograms = new Map<string, Histogram<string>>();
  readonly #labelNames = new Map<string, string>();
  readonly #maxLabelSetCount: number;
  readonly #overflow: PromCounter<"metric">;

  constructor(options: PromMetricsOptions = {}) {
    this.#maxLabelSetCount = options.maxLabelSetCount ?? defaultMaxLabelSetCount;
    this.#overflow = new PromCounter({
      name: metricNames.labelOverflow,
      help: "Values counted under `other` because their metric has reached its limit of label sets.",
      labelNames: ["metric"],
      registers: [this.#registry],
    });
    if (options.ofProcess === true) collectDefaultMetrics({ register: this.#registry });
  }

  counter<Label extends string = never>(spec: MetricSpec<Label>): Counter<Label> {
    assert(spec.name.endsWith("_total"), `the name of the counter ${spec.name} must end in _total`);
    return this.#declare(this.#counters, spec, () => {
      const counter = new PromCounter<string>(this.#configuration(spec));
      const sets = this.#labelSets(spec, (labels) => counter.labels(labels));
      return { add: (labels, by = 1) => sets.find(labels).inc(by) };
    });
  }

  gauge<Label extends string = never>(spec: MetricSpec<Label>): Gauge<Label> {
    return this.#declare(this.#gauges, spec, () => {
      const gauge = new PromGauge<string>(this.#configuration(spec));
      const sets = this.#labelSets(spec, (labels) => gauge.labels(labels));
      return { set: (labels, value) => sets.find(labels).set(value) };
    });
  }

  histogram<Label extends string = never>(spec: MetricSpec<Label>): Histogram<Label> {
    return this.#declare(this.#histograms, spec, () => {
      const buckets = spec.buckets === undefined ? {} : { buckets: [...spec.buckets] };
      const histogram = new PromHistogram<string>({ ...this.#configuration(spec), ...buckets });
      const sets = this.#labelSets(spec, (labels) => histogram.labels(labels));
      return { observe: (labels, value) => sets.find(labels).observe(value) };
    });
  }

  /** Renders all metrics. */
  async render(): Promise<RenderedMetrics> {
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  #declare<Made>(ofKind: Map<string, Made>, spec: MetricSpec, create: () => Made): Made {
    const labelNames = (spec.labels ?? []).join();
    const known = ofKind.get(spec.name);
    const isFirst = !this.#labelNames.has(spec.name);
    const isSame = known !== undefined && this.#labelNames.get(spec.name) === labelNames;
    assert(isFirst || isSame, `the metric ${spec.name} is declared twice in different ways`);
    if (known !== undefined) return known;
    assert(isMetricName(spec.name), `the metric name ${spec.name} must start with ${metricPrefix} or be a seed's`);
    const made = create();
    ofKind.set(spec.name, made);
    this.#labelNames.set(spec.name, labelNames);
    return made;
  }

  #configuration(spec: MetricSpec) {
    return { name: spec.name, help: spec.help, labelNames: spec.labels ?? [], registers: [this.#registry] };
  }

  #labelSets<Child>(spec: MetricSpec, create: (labels: LabelSet) => Child): LabelSets<Child> {
    return new LabelSets({
      labels: spec.labels ?? [],
      maxCount: this.#maxLabelSetCount,
      create,
      onOverflow: () => this.#overflow.inc({ metric: spec.name }),
    });
  }
}

function isMetricName(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && (name.startsWith(metricPrefix) || seedMetricNames.has(name));
}
