// SPDX-License-Identifier: Apache-2.0
import { GroupDictionary } from "./group-dictionary.ts";
import { LabelPostings } from "./label-postings.ts";
import { TextDictionary } from "./text-dictionary.ts";

/** The dictionaries that all tables of one cluster share. They only grow; a cluster with much garbage is compacted. */
export class ClusterTexts {
  readonly texts = new TextDictionary();
  /** Label and annotation sets: text ids of keys and values in turn, keys ascending. */
  readonly maps = new GroupDictionary();
  /** Lists of text ids. */
  readonly lists = new GroupDictionary();
  /** Group, kind and name as text ids, then the uid: four words of a UUID, or one text id. */
  readonly owners = new GroupDictionary();
  readonly labels = new LabelPostings(this.maps);
  /** Numbers of namespaces by text id; a namespace's number indexes arrays of what a user may see. */
  readonly #namespaceNumbers = new Map<number, number>([[0, 0]]);
  /** Text ids of namespaces by number. Number 0 is that of cluster-scoped objects. */
  readonly namespaces: number[] = [0];
  /** Ids of the same namespaces in the dictionary of the fleet, by number: what counts over clusters use. */
  readonly fleetNamespaces: number[] = [0];
  readonly #fleetNames: TextDictionary;

  /** `fleetNames` holds the namespaces of all clusters. */
  constructor(fleetNames = new TextDictionary()) {
    this.#fleetNames = fleetNames;
  }

  /** The number of a namespace, given its text id. */
  namespaceNumber(textId: number): number {
    const known = this.#namespaceNumbers.get(textId);
    if (known !== undefined) return known;
    const number = this.namespaces.length;
    this.namespaces.push(textId);
    this.fleetNamespaces.push(this.#fleetNames.intern(this.texts.bytesOf(textId)));
    this.#namespaceNumbers.set(textId, number);
    return number;
  }

  /** The number of a namespace by name; undefined if no row ever was in it. */
  findNamespace(name: string): number | undefined {
    const id = this.texts.find(name);
    return id === undefined ? undefined : this.#namespaceNumbers.get(id);
  }

  get sizeBytes(): number {
    return this.texts.sizeBytes + this.maps.sizeBytes + this.lists.sizeBytes + this.owners.sizeBytes;
  }
}
