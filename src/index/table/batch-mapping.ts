// SPDX-License-Identifier: Apache-2.0

import { absentId } from "../../model/row-batch/format.ts";
import type { GroupTable } from "../../model/row-batch/group-table.ts";
import type { RowBatchParts } from "../../model/row-batch/row-batch-parts.ts";
import { uuidBytes } from "../../model/rows/uuid.ts";
import type { ClusterTexts } from "./cluster-texts.ts";

/** In a mapping: not mapped yet. No dictionary has that many entries. */
const unmapped = 0xffff_fffe;

/** The ids of a batch's texts, sets, lists and owners in the dictionaries of its cluster, each mapped at first use. */
export class BatchMapping {
  readonly #parts: RowBatchParts;
  readonly #cluster: ClusterTexts;
  readonly #texts: Uint32Array;
  readonly #maps: Uint32Array;
  readonly #lists: Uint32Array;
  readonly #owners: Uint32Array;
  #scratch = new Uint32Array(16);

  constructor(parts: RowBatchParts, cluster: ClusterTexts) {
    this.#parts = parts;
    this.#cluster = cluster;
    this.#texts = new Uint32Array(parts.strings.count).fill(unmapped);
    this.#maps = new Uint32Array(parts.maps.offsets.length).fill(unmapped);
    this.#lists = new Uint32Array(parts.lists.offsets.length).fill(unmapped);
    this.#owners = new Uint32Array(parts.owners.nameIds.length + 1).fill(unmapped);
  }

  text(id: number): number {
    const known = this.#texts[id] ?? unmapped;
    if (known !== unmapped) return known;
    const { bytes, offsets } = this.#parts.strings;
    const mapped = this.#cluster.texts.intern(bytes, offsets[id], offsets[id + 1]);
    this.#texts[id] = mapped;
    return mapped;
  }

  /** As `text`, for columns: the mark for absent stays. */
  optionalText(id: number): number {
    return id === absentId ? absentId : this.text(id);
  }

  map(id: number): number {
    const known = this.#maps[id] ?? unmapped;
    if (known !== unmapped) return known;
    const { offsets, keyIds, ids } = this.#parts.maps;
    const [from, end] = [offsets[id] ?? 0, offsets[id + 1] ?? 0];
    const group = this.#reserve((end - from) * 2);
    for (let at = from; at < end; at += 1) {
      group[(at - from) * 2] = this.text(keyIds[at] ?? 0);
      group[(at - from) * 2 + 1] = this.text(ids[at] ?? 0);
    }
    const mapped = this.#cluster.maps.intern(group, 0, (end - from) * 2);
    this.#maps[id] = mapped;
    return mapped;
  }

  /** The mark for absent stays. */
  list(id: number): number {
    if (id === absentId) return absentId;
    const known = this.#lists[id] ?? unmapped;
    if (known !== unmapped) return known;
    const mapped = this.#mapList(this.#parts.lists, id);
    this.#lists[id] = mapped;
    return mapped;
  }

  owner(id: number): number {
    const known = id === 0 ? 0 : (this.#owners[id] ?? unmapped);
    if (known !== unmapped) return known;
    const { groupIds, kindIds, nameIds, uids } = this.#parts.owners;
    const at = id - 1;
    const group = this.#reserve(7);
    group[0] = this.text(groupIds[at] ?? 0);
    group[1] = this.text(kindIds[at] ?? 0);
    group[2] = this.text(nameIds[at] ?? 0);
    if (uids.form === "text") group[3] = this.text(uids.ids[at] ?? 0);
    else for (let word = 0; word < 4; word += 1) group[3 + word] = wordAt(uids.bytes, at * uuidBytes + word * 4);
    const mapped = this.#cluster.owners.intern(group, 0, uids.form === "text" ? 4 : 7);
    this.#owners[id] = mapped;
    return mapped;
  }

  #mapList({ offsets, ids }: GroupTable, id: number): number {
    const [from, end] = [offsets[id] ?? 0, offsets[id + 1] ?? 0];
    const group = this.#reserve(end - from);
    for (let at = from; at < end; at += 1) group[at - from] = this.text(ids[at] ?? 0);
    return this.#cluster.lists.intern(group, 0, end - from);
  }

  #reserve(length: number): Uint32Array {
    if (this.#scratch.length < length) this.#scratch = new Uint32Array(length * 2);
    return this.#scratch;
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
  );
}
