// SPDX-License-Identifier: Apache-2.0
import type { Counter, Gauge, Histogram, MetricSpec, Metrics } from "../../../base/metrics.ts";

function textOf(name: string, labels: Readonly<Record<string, string>>): string {
  return [name, ...Object.values(labels)].join(" ");
}

/** Metrics that can be read back: by name and label values, in the order of the call. */
export class CountedMetrics implements Metrics {
  readonly #values = new Map<string, number>();

  get(name: string, ...labels: readonly string[]): number {
    return this.#values.get([name, ...labels].join(" ")) ?? 0;
  }

  counter<Label extends string>({ name }: MetricSpec<Label>): Counter<Label> {
    return {
      add: (labels, by = 1) => {
        const key = textOf(name, labels);
        this.#values.set(key, (this.#values.get(key) ?? 0) + by);
      },
    };
  }

  gauge<Label extends string>({ name }: MetricSpec<Label>): Gauge<Label> {
    return { set: (labels, value) => void this.#values.set(textOf(name, labels), value) };
  }

  histogram<Label extends string>(): Histogram<Label> {
    return { observe: () => undefined };
  }
}
