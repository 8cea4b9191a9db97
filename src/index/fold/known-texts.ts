// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import type { IdKind, IdTranslation } from "../table/added-rows.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { GroupDictionary } from "../table/group-dictionary.ts";
import type { KindTable } from "../table/kind-table.ts";
import { ownerTexts } from "./compact-texts.ts";

/** An id that is in no column, because 0 stands for nothing: there is no such entry. */
const missing = 0;

/**
 * The entries of other dictionaries that the rows of a table need there; undefined if these have not all of them.
 * Entries of a fold that is not committed do not count, because they may go.
 */
export function findTexts(table: KindTable, other: ClusterTexts): IdTranslation | undefined {
  const finder = new EntryFinder(table.cluster, other);
  for (const [kind, { values, presentCount }] of table.idColumns()) {
    if (presentCount === 0) continue;
    for (let row = 0; row < table.count; row += 1) {
      const stored = values[row] ?? 0;
      if (stored !== 0 && finder.find(kind, stored) === missing) return undefined;
    }
  }
  return (kind, stored) => {
    const found = finder.find(kind, stored);
    assert(found !== missing, "all entries of the table were found before");
    return found;
  };
}

const allTexts = (groups: GroupDictionary, number: number): number => groups.endOf(number) - groups.startOf(number);

/** Finds entries of one cluster's dictionaries in other ones, each once. */
class EntryFinder {
  readonly #from: ClusterTexts;
  readonly #to: ClusterTexts;
  /** Ids there by ids here; -1 if there is none. */
  readonly #texts = new Map<number, number>([[0, 0]]);
  /** As columns hold them. */
  readonly #found: Readonly<Record<IdKind, Map<number, number>>> = {
    namespaces: new Map(),
    texts: new Map(),
    maps: new Map(),
    owners: new Map(),
    optionalTexts: new Map(),
    optionalLists: new Map(),
  };

  constructor(from: ClusterTexts, to: ClusterTexts) {
    this.#from = from;
    this.#to = to;
  }

  /** As columns of this kind hold it; `missing` if there is none. */
  find(kind: IdKind, stored: number): number {
    const known = this.#found[kind].get(stored);
    if (known !== undefined) return known;
    const found = this.#find(kind, stored);
    this.#found[kind].set(stored, found);
    return found;
  }

  #find(kind: IdKind, stored: number): number {
    const [from, to] = [this.#from, this.#to];
    const { committed } = to;
    switch (kind) {
      case "namespaces":
        return this.#namespace(from.namespaceText(stored));
      case "texts":
        return this.#searchedText(stored);
      case "optionalTexts":
        return this.#text(stored - 1) + 1;
      case "maps":
        return this.#group([from.maps, to.maps], stored, committed.maps);
      case "optionalLists":
        return this.#list(stored - 1);
      case "owners":
        return this.#group([from.owners, to.owners], stored, committed.owners, ownerTexts);
    }
  }

  #namespace(textId: number): number {
    const text = this.#text(textId);
    const number = text === -1 ? -1 : this.#to.findNamespaceNumber(text);
    return number !== -1 && number < this.#to.committed.namespaces ? number : missing;
  }

  /** Names, reasons and messages. One that was never one of these would have to be added to the searched texts. */
  #searchedText(id: number): number {
    const text = this.#text(id);
    return text !== -1 && this.#to.searched.has(text) ? text : missing;
  }

  /** Columns hold lists plus one, and the empty list is number 0. */
  #list(number: number): number {
    if (number === 0) return 1;
    const found = this.#group([this.#from.lists, this.#to.lists], number, this.#to.committed.lists);
    return found === missing ? missing : found + 1;
  }

  /** The number of a group whose ids are texts: all of them, or the first `textCountOf`. */
  #group(
    [from, to]: readonly [GroupDictionary, GroupDictionary],
    number: number,
    limit: number,
    textCountOf = allTexts,
  ): number {
    const group = from.get(number).slice();
    const textCount = textCountOf(from, number);
    for (let at = 0; at < textCount; at += 1) {
      const text = this.#text(group[at] ?? 0);
      if (text === -1) return missing;
      group[at] = text;
    }
    const found = to.find(group);
    return found !== -1 && found < limit ? found : missing;
  }

  #text(id: number): number {
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    const { texts } = this.#from;
    const found = this.#to.texts.findBytes(texts.bytes, texts.startOf(id), texts.endOf(id));
    const text = found < this.#to.committed.texts ? found : -1;
    this.#texts.set(id, text);
    return text;
  }
}
