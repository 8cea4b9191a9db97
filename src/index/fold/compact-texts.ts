// SPDX-License-Identifier: Apache-2.0
// Finds the dictionary entries that rows of a cluster use, and copies them into new dictionaries.

import type { IdKind } from "../table/added-rows.ts";
import { ClusterTexts } from "../table/cluster-texts.ts";
import type { GroupDictionary } from "../table/group-dictionary.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";

/** Elements looked at in one step: about 2 ms. */
const stepCount = 500_000;

/** Entries copied in one step: about 2 ms. */
const stepEntryCount = 8_192;

/** The fields of an owner that are text ids: group, kind and name. A uid that is a text is a fourth one. */
const ownerTextCount = 4;

/** Flags by id. */
export interface UsedIds {
  readonly texts: Uint8Array;
  readonly maps: Uint8Array;
  readonly lists: Uint8Array;
  readonly owners: Uint8Array;
  readonly namespaces: Uint8Array;
  /** Bytes of the used entries, and of all. */
  readonly usedBytes: number;
  readonly allBytes: number;
}

/** The place of an element's flag: optional ids are stored plus one. */
const shiftOf: Readonly<Record<IdKind, 0 | 1>> = {
  namespaces: 0,
  texts: 0,
  maps: 0,
  owners: 0,
  optionalTexts: 1,
  optionalLists: 1,
};

/** Finds the entries that rows use. The tables must not change between the steps. */
export function* findUsed(cluster: ClusterTexts, tables: Iterable<KindTable>): Generator<void, UsedIds, undefined> {
  const texts = new Uint8Array(cluster.texts.count);
  const maps = new Uint8Array(cluster.maps.count);
  const lists = new Uint8Array(cluster.lists.count);
  const owners = new Uint8Array(cluster.owners.count);
  const namespaces = new Uint8Array(cluster.namespaceCount);
  const flagsOf: Readonly<Record<IdKind, Uint8Array>> = {
    namespaces,
    texts,
    maps,
    owners,
    optionalTexts: texts,
    optionalLists: lists,
  };
  let looked = 0;
  for (const table of tables)
    for (const [kind, { values, presentCount }] of table.idColumns()) {
      if (presentCount === 0) continue;
      flag(values, table.count, flagsOf[kind], shiftOf[kind]);
      looked += table.count;
      if (looked < stepCount) continue;
      looked = 0;
      yield;
    }
  flagTexts(cluster.maps, maps, texts);
  yield;
  flagTexts(cluster.lists, lists, texts);
  flagOwnerTexts(cluster.owners, owners, texts);
  for (let number = 1; number < namespaces.length; number += 1)
    if (namespaces[number] === 1) texts[cluster.namespaceText(number)] = 1;
  yield;
  const groups = [
    [cluster.maps, maps],
    [cluster.lists, lists],
    [cluster.owners, owners],
  ] as const;
  let [usedBytes, allBytes] = [textBytes(cluster.texts, texts), cluster.texts.byteCount];
  for (const [dictionary, flags] of groups) {
    usedBytes += groupBytes(dictionary, flags);
    allBytes += dictionary.idCount * 4;
  }
  return { texts, maps, lists, owners, namespaces, usedBytes, allBytes };
}

function flag(values: ArrayLike<number>, count: number, flags: Uint8Array, shift: 0 | 1): void {
  for (let row = 0; row < count; row += 1) {
    const id = values[row] ?? 0;
    if (id !== 0) flags[id - shift] = 1;
  }
}

function flagTexts(groups: GroupDictionary, used: Uint8Array, texts: Uint8Array): void {
  const { ids } = groups;
  for (let number = 1; number < used.length; number += 1) {
    if (used[number] === 0) continue;
    const end = groups.endOf(number);
    for (let at = groups.startOf(number); at < end; at += 1) texts[ids[at] ?? 0] = 1;
  }
}

function flagOwnerTexts(owners: GroupDictionary, used: Uint8Array, texts: Uint8Array): void {
  const { ids } = owners;
  for (let number = 1; number < used.length; number += 1) {
    if (used[number] === 0) continue;
    const start = owners.startOf(number);
    const textCount = ownerTexts(owners, number);
    for (let at = start; at < start + textCount; at += 1) texts[ids[at] ?? 0] = 1;
  }
}

/** The number of an owner's ids that are texts: the words of a UUID are none. */
export function ownerTexts(owners: GroupDictionary, number: number): number {
  const length = owners.endOf(number) - owners.startOf(number);
  return length === ownerTextCount ? length : ownerTextCount - 1;
}

function textBytes(texts: TextDictionary, used: Uint8Array): number {
  let bytes = 0;
  for (let id = 1; id < used.length; id += 1) if (used[id] === 1) bytes += texts.endOf(id) - texts.startOf(id);
  return bytes;
}

function groupBytes(groups: GroupDictionary, used: Uint8Array): number {
  let count = 0;
  for (let number = 1; number < used.length; number += 1)
    if (used[number] === 1) count += groups.endOf(number) - groups.startOf(number);
  return count * 4;
}

/** New dictionaries with the used entries, and the new ids by kind and old id. */
export interface CopiedTexts {
  readonly cluster: ClusterTexts;
  readonly ids: Readonly<Record<IdKind, Uint32Array>>;
}

/**
 * Copies the used entries into other dictionaries: namespaces first, then searched texts, so that these are adjacent,
 * then the others. Between the steps, the old dictionaries may only grow.
 */
export function* copyUsed(
  old: ClusterTexts,
  used: UsedIds,
  cluster = new ClusterTexts(),
): Generator<void, CopiedTexts, undefined> {
  const texts = new Uint32Array(used.texts.length);
  const namespaces = new Uint32Array(used.namespaces.length);
  const copyText = (id: number): number => {
    if (id !== 0 && texts[id] === 0)
      texts[id] = cluster.texts.intern(old.texts.bytes, old.texts.startOf(id), old.texts.endOf(id));
    return texts[id] ?? 0;
  };
  for (let number = 1; number < namespaces.length; number += 1)
    if (used.namespaces[number] === 1)
      namespaces[number] = cluster.namespaceNumber(copyText(old.namespaceText(number)));
  yield;
  for (const isSearched of [true, false])
    for (let id = 1; id < texts.length; id += 1) {
      if (used.texts[id] === 1 && old.searched.has(id) === isSearched) {
        const copied = copyText(id);
        if (isSearched) cluster.searched.add(copied);
      }
      if (id % stepEntryCount === 0) yield;
    }
  const maps = yield* copyGroups(old.maps, used.maps, cluster.maps, texts);
  const lists = yield* copyGroups(old.lists, used.lists, cluster.lists, texts);
  const owners = yield* copyGroups(old.owners, used.owners, cluster.owners, texts, ownerTexts);
  const ids = { namespaces, texts, maps, owners, optionalTexts: shifted(texts), optionalLists: shifted(lists) };
  return { cluster, ids };
}

/** Copies groups whose ids are texts: all of them, or the first `textCountOf` of a group. */
function* copyGroups(
  from: GroupDictionary,
  used: Uint8Array,
  to: GroupDictionary,
  texts: Uint32Array,
  textCountOf = (groups: GroupDictionary, number: number): number => groups.endOf(number) - groups.startOf(number),
): Generator<void, Uint32Array, undefined> {
  const numbers = new Uint32Array(used.length);
  for (let number = 1; number < used.length; number += 1) {
    if (number % stepEntryCount === 0) yield;
    if (used[number] === 0) continue;
    const group = from.get(number).slice();
    const textCount = textCountOf(from, number);
    for (let at = 0; at < textCount; at += 1) group[at] = texts[group[at] ?? 0] ?? 0;
    numbers[number] = to.intern(group);
  }
  return numbers;
}

/** By stored id: 0 for none, else the id plus one. */
function shifted(ids: Uint32Array): Uint32Array {
  const stored = new Uint32Array(ids.length + 1);
  for (let id = 0; id < ids.length; id += 1) stored[id + 1] = (ids[id] ?? 0) + 1;
  return stored;
}
