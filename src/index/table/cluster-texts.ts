// SPDX-License-Identifier: Apache-2.0
import { GroupDictionary } from "./group-dictionary.ts";
import { LabelPostings } from "./label-postings.ts";
import { OwnerUids } from "./owner-uids.ts";
import { SearchedTexts } from "./searched-texts.ts";
import { TextDictionary } from "./text-dictionary.ts";

/** Clusters with fewer dictionary entries are not worth a look for garbage. */
const leastSuspectCount = 1_024;

/** Makes versions after a truncation differ from all before it. No cluster has that many entries. */
const versionStep = 2 ** 40;

/** The numbers of entries at one moment. */
export interface EntryCounts {
  readonly texts: number;
  readonly maps: number;
  readonly lists: number;
  readonly owners: number;
  readonly namespaces: number;
}

/** What a flush can add at most. */
export interface TextGrowth {
  readonly textCount: number;
  readonly textBytes: number;
  /** Groups of all kinds, and their ids. */
  readonly groupCount: number;
  readonly idCount: number;
}

/**
 * The dictionaries that all tables of one cluster share. They only grow, except that entries of a fold that was dropped
 * are removed; a cluster with much garbage is compacted into new ones. Ids that committed rows use never change.
 */
export class ClusterTexts {
  readonly texts = new TextDictionary();
  /** Label and annotation sets: text ids of keys and values in turn, keys ascending. */
  readonly maps = new GroupDictionary();
  /** Lists of text ids. */
  readonly lists = new GroupDictionary();
  /** Group, kind and name as text ids, then the uid: four words of a UUID, or one text id. */
  readonly owners = new GroupDictionary();
  readonly labels = new LabelPostings(this.maps);
  /** The texts that are names, reasons and messages of rows. */
  readonly searched = new SearchedTexts(this.texts);
  readonly ownerUids = new OwnerUids(this);
  /** Groups of one text id: a namespace's number indexes arrays of what a user may see. */
  readonly #namespaceNumbers = new GroupDictionary();
  readonly #scratch = new Uint32Array(1);
  #fleetNames: TextDictionary;
  #fleetIds = new Uint32Array(1);
  #namespaces = new Uint32Array(1);
  #committed: EntryCounts = { texts: 1, maps: 1, lists: 1, owners: 1, namespaces: 1 };
  #truncationCount = 0;
  #rowsVersion = 0;
  /** Values that rows lost since garbage was last looked for. */
  #replacedCount = 0;

  /** `fleetNames` holds the namespaces of all clusters. */
  constructor(fleetNames = new TextDictionary()) {
    this.#fleetNames = fleetNames;
  }

  /** The number of namespaces, including number 0 of cluster-scoped objects. */
  get namespaceCount(): number {
    return this.#namespaceNumbers.count;
  }

  /** Text ids of namespaces by number. Borrowed until the next fold. */
  get namespaces(): Uint32Array {
    if (this.#namespaces.length !== this.namespaceCount) {
      this.#namespaces = new Uint32Array(this.namespaceCount);
      // The groups have one id each.
      this.#namespaces.set(this.#namespaceNumbers.ids.subarray(0, this.namespaceCount - 1), 1);
    }
    return this.#namespaces;
  }

  /**
   * Ids of the same namespaces in the dictionary of the fleet, by number: what counts over clusters use. Borrowed until
   * the next fold. Namespaces of a fold that is not committed may be missing at the end.
   */
  get fleetNamespaces(): Uint32Array {
    const { namespaces: count } = this.#committed;
    if (this.#fleetIds.length < count) {
      const larger = new Uint32Array(count);
      larger.set(this.#fleetIds);
      for (let number = this.#fleetIds.length; number < count; number += 1)
        larger[number] = this.#fleetNames.intern(this.texts.bytesOf(this.namespaceText(number)));
      this.#fleetIds = larger;
    }
    return this.#fleetIds;
  }

  /** Takes another dictionary of the fleet. The ids of namespaces in it are others. */
  useFleetNames(fleetNames: TextDictionary): void {
    this.#fleetNames = fleetNames;
    this.#fleetIds = new Uint32Array(1);
  }

  /** The number of a namespace, given its text id. */
  namespaceNumber(textId: number): number {
    if (textId === 0) return 0;
    this.#scratch[0] = textId;
    return this.#namespaceNumbers.intern(this.#scratch);
  }

  /** As `namespaceNumber`, without adding it: -1 if no row ever was in it. */
  findNamespaceNumber(textId: number): number {
    if (textId === 0) return 0;
    this.#scratch[0] = textId;
    return this.#namespaceNumbers.find(this.#scratch);
  }

  /** The text id of a namespace, by number. */
  namespaceText(number: number): number {
    return number === 0 ? 0 : (this.#namespaceNumbers.ids[number - 1] ?? 0);
  }

  /** The number of a namespace by name; undefined if no row ever was in it. */
  findNamespace(name: string): number | undefined {
    const id = this.texts.find(name);
    const number = id === undefined ? -1 : this.findNamespaceNumber(id);
    return number === -1 ? undefined : number;
  }

  /** Differs whenever an id may mean something else or a new id exists: what was computed from ids is then outdated. */
  get version(): number {
    const { texts, maps, lists, owners } = this;
    return (
      this.#truncationCount * versionStep + texts.count + maps.count + lists.count + owners.count + this.namespaceCount
    );
  }

  /** As `version`, for the numbers of namespaces alone. */
  get namespaceVersion(): number {
    return this.#truncationCount * versionStep + this.namespaceCount;
  }

  /** Another number after each change of rows in a table with these dictionaries, and after each `commit`. */
  get rowsVersion(): number {
    return this.#rowsVersion;
  }

  noteRows(): void {
    this.#rowsVersion += 1;
  }

  /** Keeps all entries that exist now. Call it in the step in which rows that use them become visible. */
  commit(): void {
    this.noteRows();
    this.#committed = this.#counts();
  }

  /** Removes the entries that a dropped fold added after the last `commit`. No committed row uses them. */
  rollback(): void {
    const { texts, maps, lists, owners, namespaces } = this.#committed;
    const added = this.version - this.#truncationCount * versionStep - (texts + maps + lists + owners + namespaces);
    if (added === 0) return;
    this.#truncationCount += 1;
    this.#namespaces = new Uint32Array(1);
    this.labels.truncate(maps);
    this.ownerUids.truncate();
    this.owners.truncate(owners);
    this.lists.truncate(lists);
    this.maps.truncate(maps);
    this.#namespaceNumbers.truncate(namespaces);
    this.searched.truncate(texts);
    this.texts.truncate(texts);
  }

  /** The numbers of entries that no `rollback` removes. */
  get committed(): EntryCounts {
    return this.#committed;
  }

  /** Counts values that rows lost. */
  noteReplaced(count: number): void {
    this.#replacedCount += count;
  }

  /** Whether so many values were lost that half of the dictionaries may be garbage. */
  get isGarbageSuspected(): boolean {
    const entryCount = this.texts.count + this.maps.count + this.lists.count + this.owners.count;
    return this.#replacedCount > Math.max(leastSuspectCount, entryCount / 2);
  }

  /** Call it after garbage was looked for. */
  clearReplaced(): void {
    this.#replacedCount = 0;
  }

  /** Releases memory that was reserved for growth. */
  trim(): void {
    for (const dictionary of [this.texts, this.maps, this.lists, this.owners, this.#namespaceNumbers])
      dictionary.trim();
    this.searched.trim();
  }

  /** The number of entries of the largest dictionary: no id is greater. */
  get idCount(): number {
    return Math.max(this.texts.count, this.maps.count, this.lists.count, this.owners.count);
  }

  /** An upper bound of the size with so many more entries. */
  boundBytes(more: TextGrowth): number {
    const groups = [this.maps, this.lists, this.owners, this.#namespaceNumbers];
    let bytes = this.sizeBytes + this.texts.boundBytes(more.textCount, more.textBytes) - this.texts.sizeBytes;
    // Each group is in one dictionary, so that each of them may get all.
    for (const each of groups) bytes += each.boundBytes(more.groupCount, more.idCount) - each.sizeBytes;
    return bytes + this.searched.boundBytes(more.textCount) - this.searched.sizeBytes + (more.textCount + 2) * 16;
  }

  get sizeBytes(): number {
    const dictionaries = [this.texts, this.maps, this.lists, this.owners, this.#namespaceNumbers, this.labels];
    return dictionaries.reduce(
      (sum, { sizeBytes }) => sum + sizeBytes,
      this.#namespaces.byteLength + this.#fleetIds.byteLength + this.ownerUids.sizeBytes + this.searched.sizeBytes,
    );
  }

  #counts(): EntryCounts {
    const { texts, maps, lists, owners } = this;
    return {
      texts: texts.count,
      maps: maps.count,
      lists: lists.count,
      owners: owners.count,
      namespaces: this.namespaceCount,
    };
  }
}
