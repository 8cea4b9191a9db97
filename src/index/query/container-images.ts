// SPDX-License-Identifier: Apache-2.0
// The images of Pods, which hold each container as JSON (KI7). Workloads have a list column of images instead (KI8).
import { compareUtf8 } from "../../model/text.ts";
import { imageOfContainer } from "../scan/image-filter.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { CodeArray, CodeSpace, FieldSource } from "./field-source.ts";
import { openListCodes } from "./own-columns.ts";

/**
 * The images of the Pods of one cluster, from the lists of their containers and init containers. A code is the number
 * of a list plus one, or stands for a pair of lists. Valid until the next fold: new lists take the codes of pairs.
 */
export class ContainerImages implements CodeSpace {
  readonly #cluster: ClusterTexts;
  readonly #listCount: number;
  readonly #byContainer = new Map<number, string | undefined>();
  /** Codes of pairs, by both codes. */
  readonly #pairCodes = new Map<number, number>();
  readonly #pairs: (readonly [init: number, main: number])[] = [];

  constructor(cluster: ClusterTexts) {
    this.#cluster = cluster;
    this.#listCount = cluster.lists.count;
  }

  get count(): number {
    return this.#listCount + 1 + this.#pairs.length;
  }

  open(table: KindTable): FieldSource {
    const [init, main] = [openListCodes(table, "initContainers"), openListCodes(table, "containers")];
    if (init !== undefined && main !== undefined) return { kind: "codes", space: this, at: this.#pairAt(init, main) };
    const codes = init ?? main;
    return codes === undefined
      ? { kind: "none" }
      : { kind: "codes", space: this, array: { codes }, at: (row) => codes[row] ?? 0 };
  }

  textsOf(code: number): readonly string[] {
    const lists = code <= this.#listCount ? [code] : (this.#pairs[code - this.#listCount - 1] ?? []);
    const images = new Set<string>();
    for (const list of lists) {
      for (const id of list === 0 ? [] : this.#cluster.lists.get(list - 1)) {
        const image = this.#imageOf(id);
        if (image !== undefined) images.add(image);
      }
    }
    return [...images].sort(compareUtf8);
  }

  #imageOf(textId: number): string | undefined {
    if (this.#byContainer.has(textId)) return this.#byContainer.get(textId);
    const image = imageOfContainer(this.#cluster.texts.get(textId));
    this.#byContainer.set(textId, image);
    return image;
  }

  /** Few Pods have init containers, so few rows need a pair. */
  #pairAt(init: CodeArray, main: CodeArray): (row: number) => number {
    return (row) => {
      const [first, second] = [init[row] ?? 0, main[row] ?? 0];
      if (first === 0) return second;
      if (second === 0) return first;
      const pair = first * (this.#listCount + 1) + second;
      const known = this.#pairCodes.get(pair);
      if (known !== undefined) return known;
      const code = this.count;
      this.#pairCodes.set(pair, code);
      this.#pairs.push([first, second]);
      return code;
    };
  }
}
