// SPDX-License-Identifier: Apache-2.0

/** What is declared of a metric: its full name, one line of help, and every value that each label can take or how many. */
export interface MetricSpec<Label extends string = string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  /** Upper bounds of a histogram's buckets; seconds or bytes, as the name says. */
  readonly buckets?: readonly number[];
}

export type LabelValues<Label extends string> = Readonly<Record<Label, string>>;

export interface Counter<Label extends string> {
  add(labels: LabelValues<Label>, by?: number): void;
}

export interface Gauge<Label extends string> {
  set(labels: LabelValues<Label>, value: number): void;
}

export interface Histogram<Label extends string> {
  observe(labels: LabelValues<Label>, value: number): void;
}

/**
 * Where numbers go. A name is declared once per registry and asking for it again gives the same metric. The number of
 * label sets of one metric is bounded: beyond the bound a new set is counted under `other`.
 */
export interface Metrics {
  counter<Label extends string = never>(spec: MetricSpec<Label>): Counter<Label>;
  gauge<Label extends string = never>(spec: MetricSpec<Label>): Gauge<Label>;
  histogram<Label extends string = never>(spec: MetricSpec<Label>): Histogram<Label>;
}

/** Metrics that keep nothing; for code under test whose numbers nobody reads. */
export const silentMetrics: Metrics = {
  counter: () => ({ add: () => undefined }),
  gauge: () => ({ set: () => undefined }),
  histogram: () => ({ observe: () => undefined }),
};
