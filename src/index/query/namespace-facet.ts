// SPDX-License-Identifier: Apache-2.0
import type { FieldRef } from "../language/field-ref.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { CodeCounts } from "./code-counts.ts";
import type { FacetCounter } from "./facet-counter.ts";
import type { TableView } from "./field-source.ts";
import type { FacetAnswer, FacetRequest } from "./query-request.ts";
import type { RowSelection } from "./row-selection.ts";
import { topValues } from "./top-values.ts";

/** Counts by namespace. The fleet has one dictionary of namespaces, so no text is looked up. */
export class NamespaceFacet implements FacetCounter {
  readonly ref: FieldRef;
  readonly #prefix: string | undefined;
  readonly #dictionary: TextDictionary;
  /** By id in the dictionary of the fleet. Id 0, the empty text, is that of cluster-scoped objects. */
  #counts: Uint32Array;
  readonly #numbers = new CodeCounts();
  #cluster: ClusterTexts | undefined;

  constructor({ ref, prefix }: FacetRequest, dictionary: TextDictionary) {
    this.ref = ref;
    this.#prefix = prefix;
    this.#dictionary = dictionary;
    this.#counts = new Uint32Array(dictionary.count);
  }

  add({ table }: TableView, selection: RowSelection): void {
    this.#open(table.cluster);
    this.#numbers.addCodes({ codes: table.namespaces.values }, selection, table.cluster.namespaceCount);
  }

  /** Adds counts of rows by id of the namespace in the dictionary of the fleet. */
  addSums(sums: Uint32Array): void {
    const own = this.#reserve();
    const length = Math.min(sums.length, own.length);
    for (let id = 0; id < length; id += 1) own[id] = (own[id] ?? 0) + (sums[id] ?? 0);
  }

  release(): void {
    const cluster = this.#cluster;
    this.#cluster = undefined;
    if (cluster === undefined) return;
    const ids = cluster.fleetNamespaces;
    this.#numbers.drainInto(this.#reserve(), ids);
  }

  answer(): FacetAnswer {
    this.release();
    const { ref } = this;
    const noneCount = this.#counts[0] ?? 0;
    const counts = this.#counts.slice();
    counts[0] = 0;
    return { ref, ...topValues(this.#dictionary, counts, this.#prefix), noneCount };
  }

  #open(cluster: ClusterTexts): void {
    if (cluster === this.#cluster) return;
    this.release();
    this.#cluster = cluster;
  }

  /** The counts, with room for all namespaces of the fleet. */
  #reserve(): Uint32Array {
    if (this.#counts.length < this.#dictionary.count) {
      const larger = new Uint32Array(Math.ceil(this.#dictionary.count * 1.25));
      larger.set(this.#counts);
      this.#counts = larger;
    }
    return this.#counts;
  }
}
