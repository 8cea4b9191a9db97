// SPDX-License-Identifier: Apache-2.0
// Single rows of a table as one subject sees them. Problems, relations and comparisons read rows only through this file
// and `visible-cluster.ts`, so that no row is used before its visibility was checked (L17).
import type { Owner, Row } from "../../model/rows/row.ts";
import { compareUtf8 } from "../../model/text.ts";
import { isVisible, type Visibility } from "../../rbac/visibility.ts";
import type { KindTable } from "../table/kind-table.ts";
import { readMap, readOwner, readRow } from "../table/read-row.ts";

/** By namespace number: every object is visible, none is, or the name decides; 0 = not decided yet. */
const [whole, hidden, byName] = [1, 2, 3];

/** One table, and what its subject may see of it. */
export interface VisibleTableParts {
  readonly resource: string;
  /** Its place among the tables of its cluster. */
  readonly number: number;
  readonly table: KindTable;
  readonly visibility: Visibility;
}

/**
 * The rows of one resource in one cluster that a subject may see. Row numbers are valid until the next fold into the
 * cluster.
 */
export class VisibleTable {
  /** The text of the resource id. */
  readonly resource: string;
  /** Its place among the tables of its cluster, in the order of resources. */
  readonly number: number;
  readonly #table: KindTable;
  readonly #visibility: Visibility;
  /** Made at the first row that needs it: a search of one key does not. */
  #scopes: Uint8Array | undefined;

  constructor({ resource, number, table, visibility }: VisibleTableParts) {
    this.resource = resource;
    this.number = number;
    this.#table = table;
    this.#visibility = visibility;
  }

  /** "" for the core group. */
  get group(): string {
    return this.resource.includes("/") ? this.resource.slice(0, this.resource.indexOf("/")) : "";
  }

  get kind(): string {
    return this.#table.kind;
  }

  /** All rows, visible or not. Bounds loops; never part of an answer. */
  get rowCount(): number {
    return this.#table.count;
  }

  /** Whether any row, visible or not, has a status of these ranks. Saves a scan; never part of an answer. */
  hasRank(ranks: readonly number[]): boolean {
    return ranks.some((rank) => this.#table.statusCount(rank) > 0);
  }

  isVisible(row: number): boolean {
    const visibility = this.#visibility;
    if (visibility.kind !== "some") return visibility.kind === "all";
    const number = this.#table.namespaces.values[row] ?? 0;
    this.#scopes ??= new Uint8Array(this.#table.cluster.namespaceCount);
    const scope = this.#scopes[number] || this.#decide(this.#scopes, number);
    if (scope !== byName) return scope === whole;
    return isVisible(visibility, this.namespaceOf(row), this.nameOf(row));
  }

  /** The visible row with this key. A hidden row and no row give the same answer. */
  find(namespace: string, name: string): number | undefined {
    if (!isVisible(this.#visibility, namespace, name)) return undefined;
    const row = this.#table.findRow(namespace, name);
    return row === -1 ? undefined : row;
  }

  /** The visible rows in the order of namespace and name, from the first one after this key on. */
  *inOrder(after?: { readonly namespace: string; readonly name: string }): Generator<number, void, undefined> {
    const order = this.#table.order();
    const isAfter = (row: number): boolean =>
      after === undefined ||
      (compareUtf8(this.namespaceOf(row), after.namespace) || compareUtf8(this.nameOf(row), after.name)) > 0;
    for (let at = firstPlace(order, isAfter); at < order.length; at += 1) {
      const row = order[at] ?? 0;
      if (this.isVisible(row)) yield row;
    }
  }

  namespaceOf(row: number): string {
    const { cluster } = this.#table;
    return cluster.texts.get(cluster.namespaceText(this.namespaceNumberOf(row)));
  }

  /** Equal for rows of one namespace; 0 for cluster-scoped objects. */
  namespaceNumberOf(row: number): number {
    return this.#table.namespaces.values[row] ?? 0;
  }

  nameOf(row: number): string {
    return this.#table.cluster.texts.get(this.#table.names.values[row] ?? 0);
  }

  /** Orders rows by namespace and name, bytewise. */
  compareRows(a: number, b: number): number {
    const { cluster, names } = this.#table;
    const [one, other] = [this.namespaceNumberOf(a), this.namespaceNumberOf(b)];
    if (one !== other) return cluster.texts.compare(cluster.namespaceText(one), cluster.namespaceText(other));
    return cluster.texts.compare(names.values[a] ?? 0, names.values[b] ?? 0);
  }

  statusRankOf(row: number): number {
    return this.#table.statuses.values[row] ?? 0;
  }

  reasonOf(row: number): string {
    return this.#table.cluster.texts.get(this.reasonIdOf(row));
  }

  /** Equal for equal reasons of one cluster. */
  reasonIdOf(row: number): number {
    return this.#table.reasons.values[row] ?? 0;
  }

  messageOf(row: number): string {
    return this.#table.cluster.texts.get(this.messageIdOf(row));
  }

  /** Equal for equal messages of one cluster. */
  messageIdOf(row: number): number {
    return this.#table.messages.values[row] ?? 0;
  }

  uidOf(row: number): string {
    return this.#table.uidOf(row);
  }

  /** Since when it is in trouble, by the hub's clock; undefined if that is not known (HE18). */
  troubledSinceMs(row: number): number | undefined {
    return this.#table.troubledSinceMs(row);
  }

  /** The owner reference; undefined if the row has none. */
  ownerOf(row: number): Owner | undefined {
    return readOwner(this.#table.cluster, this.ownerIdOf(row));
  }

  label(row: number, key: string): string | undefined {
    return readMap(this.#table.cluster, this.#table.labels.values[row] ?? 0).get(key);
  }

  /** Equal for equal owners of one cluster; 0 for none. */
  ownerIdOf(row: number): number {
    return this.#table.owners.values[row] ?? 0;
  }

  /** The value of a text column; undefined if the row has none. */
  text(row: number, column: string): string | undefined {
    const id = this.textId(row, column);
    return id === undefined ? undefined : this.#table.cluster.texts.get(id);
  }

  /** Equal for equal texts of one cluster; undefined if the row has no value. */
  textId(row: number, column: string): number | undefined {
    const id = this.#table.column(column, "string")?.read(row) ?? -1;
    return id === -1 ? undefined : id;
  }

  /** The id of a text as `textId` gives it; undefined if no row of the cluster ever had it. */
  idOfText(text: string): number | undefined {
    return this.#table.cluster.texts.find(text);
  }

  /** The number of a namespace as `namespaceNumberOf` gives it; undefined if no row of the cluster ever was in it. */
  numberOfNamespace(namespace: string): number | undefined {
    return this.#table.cluster.findNamespace(namespace);
  }

  /** Equal for equal lists of one cluster; -1 if the row has no value. */
  listNumber(row: number, column: string): number {
    return this.#table.column(column, "stringList")?.read(row) ?? -1;
  }

  /** The value of a list column; undefined if the row has none. */
  list(row: number, column: string): readonly string[] | undefined {
    const number = this.listNumber(row, column);
    const { lists, texts } = this.#table.cluster;
    return number === -1 ? undefined : Array.from(lists.get(number), (textId) => texts.get(textId));
  }

  read(row: number): Row {
    return readRow(this.#table, row);
  }

  #decide(scopes: Uint8Array, number: number): number {
    const { cluster } = this.#table;
    const scope = scopeOf(this.#visibility, cluster.texts.get(cluster.namespaceText(number)));
    scopes[number] = scope;
    return scope;
  }
}

/** The first place in an order whose row passes. Rows that pass come after all others. */
function firstPlace(order: Uint32Array, passes: (row: number) => boolean): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(order[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function scopeOf(visibility: Visibility, namespace: string): number {
  if (visibility.kind !== "some") return visibility.kind === "all" ? whole : hidden;
  const { names, namespaces, namesIn, namespaceObjects } = visibility;
  if (namespace !== "" && namespaces.has(namespace)) return whole;
  const hasNames = namespace === "" ? namespaceObjects.size > 0 : (namesIn.get(namespace)?.size ?? 0) > 0;
  return names.size > 0 || hasNames ? byName : hidden;
}
