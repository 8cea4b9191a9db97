// SPDX-License-Identifier: Apache-2.0
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { IdValues } from "../table/id-column.ts";
import type { ScanScratch } from "./keep-rows.ts";

const [unknown, failed, passed] = [0, 1, 2];

/** Tests texts that need a JavaScript string each: every text once, and only texts that rows have. */
export class TextVerdicts {
  readonly #cluster: ClusterTexts;
  readonly #passes: (text: string) => boolean;
  readonly #candidates: Uint8Array | undefined;
  readonly #scratch: ScanScratch;
  /** Verdicts by text id. */
  readonly #verdicts: Uint8Array;
  /** By stored id of a text and of a list: 1 if it passes. */
  readonly #textFlags: Uint8Array;
  #listFlags: Uint8Array | undefined;
  #listVerdicts: Uint8Array | undefined;

  /** Texts without a 1 in `candidates`, by id, do not pass. Default: each is tested. */
  constructor(
    { texts: cluster, scratch }: { readonly texts: ClusterTexts; readonly scratch: ScanScratch },
    passes: (text: string) => boolean,
    candidates?: Uint8Array,
  ) {
    this.#cluster = cluster;
    this.#passes = passes;
    this.#candidates = candidates;
    this.#scratch = scratch;
    this.#verdicts = scratch.takeFlags(cluster.texts.count);
    this.#textFlags = scratch.takeFlags(cluster.texts.count + 1);
  }

  /** Flags by text id plus one, for a column of that many rows. */
  flagTexts(ids: IdValues, count: number): Uint8Array {
    for (let row = 0; row < count; row += 1) {
      const stored = ids[row] ?? 0;
      if (stored !== 0 && this.#isPassed(stored - 1)) this.#textFlags[stored] = 1;
    }
    return this.#textFlags;
  }

  /** Flags by list number plus one: 1 if any element passes. */
  flagLists(ids: IdValues, count: number): Uint8Array {
    const { lists } = this.#cluster;
    const flags = (this.#listFlags ??= this.#scratch.takeFlags(lists.count + 1));
    const verdicts = (this.#listVerdicts ??= this.#scratch.takeFlags(lists.count + 1));
    for (let row = 0; row < count; row += 1) {
      const stored = ids[row] ?? 0;
      if (stored === 0 || verdicts[stored] !== unknown) continue;
      verdicts[stored] = failed;
      const end = lists.endOf(stored - 1);
      for (let at = lists.startOf(stored - 1); at < end && flags[stored] === 0; at += 1)
        if (this.#isPassed(lists.ids[at] ?? 0)) flags[stored] = 1;
    }
    return flags;
  }

  #isPassed(id: number): boolean {
    if (this.#candidates?.[id] === 0) return false;
    if (this.#verdicts[id] === unknown)
      this.#verdicts[id] = this.#passes(this.#cluster.texts.get(id)) ? passed : failed;
    return this.#verdicts[id] === passed;
  }
}
