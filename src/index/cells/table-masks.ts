// SPDX-License-Identifier: Apache-2.0
import type { CellMask } from "./cell-mask.ts";
import { rankCount } from "./table-cells.ts";

/** The masks of all tables of a cluster. */
export class TableMasks {
  readonly masks: readonly CellMask[];
  readonly canPass: boolean;
  readonly #isByNamespace: boolean;
  #changes: { readonly since: TableMasks; readonly changes: Int8Array } | undefined;

  constructor(masks: readonly CellMask[]) {
    this.masks = masks;
    this.canPass = masks.some((mask) => mask !== 0);
    this.#isByNamespace = masks.some((mask) => typeof mask === "object");
  }

  /** 1 if rows of a place, with a namespace, pass; else 0. */
  passes(place: number, namespace: number): number {
    const mask = this.masks[Math.trunc(place / rankCount)] ?? 0;
    return ((typeof mask === "number" ? mask : (mask[namespace] ?? 0)) >> (place % rankCount)) & 1;
  }

  /** By place, 1 if rows pass that did not pass by other masks, and -1 the other way. Undefined if namespaces decide. */
  changesSince(since: TableMasks): Int8Array | undefined {
    if (this.#isByNamespace || since.#isByNamespace) return undefined;
    if (this.#changes?.since !== since) {
      const changes = new Int8Array(this.masks.length * rankCount);
      for (let place = 0; place < changes.length; place += 1)
        changes[place] = this.passes(place, 0) - since.passes(place, 0);
      this.#changes = { since, changes };
    }
    return this.#changes.changes;
  }
}
