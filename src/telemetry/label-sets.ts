// SPDX-License-Identifier: Apache-2.0
import { overflowLabel } from "./metric-names.ts";
import { maskSecretText } from "./redact.ts";

/** Longer label values are truncated. Values come from names, and Kubernetes names have at most 253 characters. */
const maxValueLength = 256;

/** One value per label of a metric. */
export type LabelSet = Readonly<Record<string, string>>;

export interface LabelSetsOptions<Child> {
  readonly labels: readonly string[];
  readonly maxCount: number;
  readonly create: (labels: LabelSet) => Child;
  /** Called for each value counted under `other`. */
  readonly onOverflow: () => void;
}

/**
 * The label sets of one metric: at most `maxCount`, and one named `other` for all further ones. Existing sets keep
 * their place, so that dashboards stay stable. Sums stay complete.
 */
export class LabelSets<Child> {
  readonly #options: LabelSetsOptions<Child>;
  readonly #children = new Map<string, Child>();
  #other: Child | undefined;

  constructor(options: LabelSetsOptions<Child>) {
    this.#options = options;
  }

  find(values: LabelSet): Child {
    const { labels, maxCount } = this.#options;
    const key = JSON.stringify(labels.map((label) => values[label]));
    const known = this.#children.get(key);
    if (known !== undefined) return known;
    if (this.#children.size >= maxCount) return this.#findOther();
    const child = this.#create((label) => maskSecretText((values[label] ?? "").slice(0, maxValueLength)));
    this.#children.set(key, child);
    return child;
  }

  #findOther(): Child {
    this.#options.onOverflow();
    this.#other ??= this.#create(() => overflowLabel);
    return this.#other;
  }

  #create(valueOf: (label: string) => string): Child {
    const { labels, create } = this.#options;
    return create(Object.fromEntries(labels.map((label) => [label, valueOf(label)])));
  }
}
