// SPDX-License-Identifier: Apache-2.0
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";

/** The counts of the fleet's namespaces, and how the namespaces of the present cluster are found in them. */
export interface NamespaceSums {
  /** By id in the dictionary of the fleet. */
  readonly sums: Uint32Array;
  /** Ids by number of the namespace in the cluster. */
  readonly ids: Uint32Array;
}

/** Counts rows of all clusters by namespace. */
export class FleetNamespaceSums {
  readonly #dictionary: TextDictionary;
  #sums = new Uint32Array(0);

  /** `dictionary` holds the namespaces of all clusters. */
  constructor(dictionary: TextDictionary) {
    this.#dictionary = dictionary;
  }

  get sums(): Uint32Array {
    return this.#sums;
  }

  /** The counts for a cluster, with room for all its namespaces. */
  open({ fleetNamespaces: ids }: ClusterTexts): NamespaceSums {
    if (this.#sums.length < this.#dictionary.count) {
      const larger = new Uint32Array(Math.ceil(this.#dictionary.count * 1.25));
      larger.set(this.#sums);
      this.#sums = larger;
    }
    return { sums: this.#sums, ids };
  }
}
