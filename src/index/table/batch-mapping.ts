// SPDX-License-Identifier: Apache-2.0

import type { KeyFields, RowBatchParts } from "../../model/row-batch/row-batch-parts.ts";
import { hashName, hashNamespace } from "../../model/rows/bucket.ts";
import { uuidBytes } from "../../model/rows/uuid.ts";
import type { ClusterTexts } from "./cluster-texts.ts";
import { textUuidBytes } from "./uid-text.ts";

/** In a mapping: not mapped yet, or looked up and not found. No dictionary has that many entries. */
const unmapped = 0xffff_fffe;
const missing = 0xffff_fffd;

/** The ids of a batch's texts, sets, lists and owners in the dictionaries of its cluster, each mapped at first use. */
export class BatchMapping {
  readonly parts: RowBatchParts;
  readonly #cluster: ClusterTexts;
  readonly #texts: Uint32Array;
  readonly #maps: Uint32Array;
  readonly #lists: Uint32Array;
  readonly #owners: Uint32Array;
  #scratch = new Uint32Array(16);
  /** Rows of a batch are in key order, so that most keys are in the namespace of the previous one. */
  #hashedNamespace = -1;
  #hashState = 0;
  #lastNamespace = -1;
  #lastNumber = 0;

  constructor(parts: RowBatchParts, cluster: ClusterTexts) {
    this.parts = parts;
    this.#cluster = cluster;
    this.#texts = new Uint32Array(parts.strings.count).fill(unmapped);
    this.#maps = new Uint32Array(parts.maps.offsets.length).fill(unmapped);
    this.#lists = new Uint32Array(parts.lists.offsets.length).fill(unmapped);
    this.#owners = new Uint32Array(parts.owners.nameIds.length + 1).fill(unmapped);
  }

  text(id: number): number {
    const known = this.#texts[id] ?? unmapped;
    if (known < missing) return known;
    const { bytes, offsets } = this.parts.strings;
    const mapped = this.#cluster.texts.intern(bytes, offsets[id], offsets[id + 1]);
    this.#texts[id] = mapped;
    return mapped;
  }

  /** As `text`, for names, reasons and messages, which free text is searched in. */
  searchedText(id: number): number {
    const mapped = this.text(id);
    this.#cluster.searched.add(mapped);
    return mapped;
  }

  /** As `text`, without adding it to the dictionary: -1 if it is not in it. */
  findText(id: number): number {
    const known = this.#texts[id] ?? unmapped;
    if (known < missing) return known;
    if (known === missing) return -1;
    const { bytes, offsets } = this.parts.strings;
    const found = this.#cluster.texts.findBytes(bytes, offsets[id] ?? 0, offsets[id + 1] ?? 0);
    this.#texts[id] = found === -1 ? missing : found;
    return found;
  }

  /** The number of a namespace. */
  namespace(id: number): number {
    if (id !== this.#lastNamespace) {
      this.#lastNamespace = id;
      this.#lastNumber = this.#cluster.namespaceNumber(this.text(id));
    }
    return this.#lastNumber;
  }

  /** The hash of the key at a place. */
  keyHash({ namespaceIds, nameIds }: KeyFields, at: number): number {
    const { bytes, offsets } = this.parts.strings;
    const namespace = namespaceIds[at] ?? 0;
    if (namespace !== this.#hashedNamespace) {
      this.#hashedNamespace = namespace;
      this.#hashState = hashNamespace(bytes, offsets[namespace] ?? 0, offsets[namespace + 1] ?? 0);
    }
    const name = nameIds[at] ?? 0;
    return hashName(this.#hashState, bytes, offsets[name] ?? 0, offsets[name + 1] ?? 0);
  }

  map(id: number): number {
    const known = this.#maps[id] ?? unmapped;
    if (known !== unmapped) return known;
    const { offsets, keyIds, ids } = this.parts.maps;
    const from = offsets[id] ?? 0;
    const end = offsets[id + 1] ?? 0;
    const group = this.#reserve((end - from) * 2);
    for (let at = from; at < end; at += 1) {
      group[(at - from) * 2] = this.text(keyIds[at] ?? 0);
      group[(at - from) * 2 + 1] = this.text(ids[at] ?? 0);
    }
    const mapped = this.#cluster.maps.intern(group, 0, (end - from) * 2);
    this.#maps[id] = mapped;
    return mapped;
  }

  list(id: number): number {
    const known = this.#lists[id] ?? unmapped;
    if (known !== unmapped) return known;
    const { offsets, ids } = this.parts.lists;
    const from = offsets[id] ?? 0;
    const end = offsets[id + 1] ?? 0;
    const group = this.#reserve(end - from);
    for (let at = from; at < end; at += 1) group[at - from] = this.text(ids[at] ?? 0);
    const mapped = this.#cluster.lists.intern(group, 0, end - from);
    this.#lists[id] = mapped;
    return mapped;
  }

  owner(id: number): number {
    if (id === 0) return 0;
    const known = this.#owners[id] ?? unmapped;
    if (known !== unmapped) return known;
    const mapped = this.#mapOwner(id - 1);
    this.#owners[id] = mapped;
    return mapped;
  }

  /** A uid that is a UUID is four words in every batch, so that one owner has one number. */
  #mapOwner(at: number): number {
    const { strings, owners } = this.parts;
    const { groupIds, kindIds, nameIds, uids } = owners;
    const group = this.#reserve(7);
    group[0] = this.text(groupIds[at] ?? 0);
    group[1] = this.text(kindIds[at] ?? 0);
    group[2] = this.text(nameIds[at] ?? 0);
    const uuid = uids.form === "uuid" ? uids.bytes : textUuidBytes(strings, uids.ids[at] ?? 0);
    if (uids.form === "text" && uuid === undefined) {
      group[3] = this.text(uids.ids[at] ?? 0);
      return this.#cluster.owners.intern(group, 0, 4);
    }
    const from = uids.form === "uuid" ? at * uuidBytes : 0;
    for (let word = 0; word < 4; word += 1) group[3 + word] = wordAt(uuid ?? strings.bytes, from + word * 4);
    return this.#cluster.owners.intern(group, 0, 7);
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
