// SPDX-License-Identifier: Apache-2.0

/** Declaration of a metric: its full name, one line of help, and its labels. */
export interface MetricSpec<Label extends string = string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  /** Upper bounds of a histogram's buckets, in the unit of the name: seconds or bytes. */
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
 * A metrics registry. A name is declared once per registry; declaring it again returns the same metric. The number of
 * label sets per metric is bounded: further sets are counted under `other`.
 */
export interface Metrics {
  counter<Label extends string = never>(spec: MetricSpec<Label>): Counter<Label>;
  gauge<Label extends string = never>(spec: MetricSpec<Label>): Gauge<Label>;
  histogram<Label extends string = never>(spec: MetricSpec<Label>): Histogram<Label>;
}
