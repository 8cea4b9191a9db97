// SPDX-License-Identifier: Apache-2.0
import type { CellFilter } from "./cell-filter.ts";
import type { CellMask } from "./cell-mask.ts";
import { TableMasks } from "./table-masks.ts";

/** The masks of a cluster's tables by the answers of label tests: for all clusters of a query with the same tables. */
export class ClusterMasks {
  /** By the label tests that hold, as bits. Equal masks are one object. */
  readonly byLabels: readonly TableMasks[];
  /**
   * The label tests, as bits, that hold for every row that some table treats otherwise than a row without labels; 0 if
   * there is none.
   */
  readonly necessaryLabels: number;
  /** By table: 1 if labels matter. */
  readonly isByLabels: Uint8Array;
  /** Ids of the namespaces without which no row passes; undefined if they are many or do not matter. */
  readonly fewNamespaces: Uint32Array | undefined;

  /** `answers` are those of the tables. Hidden tables let nothing pass. */
  constructor(filter: CellFilter, answers: readonly number[], hidden: ReadonlySet<number>) {
    const all: TableMasks[] = [];
    const isByLabels = new Uint8Array(answers.length);
    let necessary = (1 << filter.labelTests.length) - 1;
    for (let labels = 0; labels < 1 << filter.labelTests.length; labels += 1) {
      const masks = answers.map((each, at) => (hidden.has(at) ? 0 : filter.maskOf(each, labels)));
      const before = all.find((known) => known.masks.every((mask, at) => mask === masks[at]));
      all.push(before ?? new TableMasks(masks));
      if (before !== undefined && before === all[0]) continue;
      if (labels > 0) necessary &= labels;
      for (const [at, mask] of masks.entries()) if (mask !== all[0]?.masks[at]) isByLabels[at] = 1;
    }
    this.byLabels = all;
    this.isByLabels = isByLabels;
    this.necessaryLabels = necessary;
    this.fewNamespaces = joinFew(filter, new Set(all.flatMap(({ masks }) => masks)));
  }

  /** The masks of rows without labels. */
  get plain(): TableMasks {
    const [plain] = this.byLabels;
    return plain ?? new TableMasks([]);
  }

  /** Whether a row can pass, whatever its labels. */
  get canPass(): boolean {
    return this.byLabels.some((masks) => masks.canPass);
  }
}

function joinFew(filter: CellFilter, masks: ReadonlySet<CellMask>): Uint32Array | undefined {
  const ids = new Set<number>();
  for (const mask of masks) {
    if (mask === 0) continue;
    const few = typeof mask === "number" ? undefined : filter.fewNamespaces(mask);
    if (few === undefined) return undefined;
    for (const id of few) ids.add(id);
  }
  return Uint32Array.from(ids);
}
