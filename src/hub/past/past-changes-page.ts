// SPDX-License-Identifier: Apache-2.0
import type { TableView } from "../../index/query/field-source.ts";
import type { QueryKey } from "../../index/query/query-request.ts";
import { compareQueryKeys, keyOfRow } from "../../index/query/table-keys.ts";
import { readRow } from "../../index/table/read-row.ts";
import type { Row } from "../../model/rows/row.ts";
import { maxMessageChars, rowChars } from "../rows/bounded-groups.ts";
import { type FieldChange, fieldChanges } from "./field-changes.ts";

/** `entered`: selected only later; `left`: selected only before; `changed`: selected at both moments, and different. */
export type SelectionChange = "entered" | "left" | "changed";

/** One object that changed. */
export interface PastChange extends QueryKey {
  readonly kind: string;
  readonly change: SelectionChange;
  /** Undefined: it did not exist. */
  readonly before: Row | undefined;
  /** Undefined: it was deleted. */
  readonly after: Row | undefined;
  /** From what to what, if it existed at both moments. Another `uid` means that it was deleted and created again. */
  readonly fields: readonly FieldChange[];
}

export interface PastChangesAnswer {
  /** In the order of cluster, resource, namespace and name. */
  readonly changes: readonly PastChange[];
  /** Of all pages. */
  readonly counts: Readonly<Record<SelectionChange, number>>;
  /** The key after which the next page begins; undefined if there is none. */
  readonly next: QueryKey | undefined;
}

/** An object in a table; row -1 if it is not there. */
export interface PlacedObject {
  readonly view: TableView | undefined;
  readonly row: number;
}

/** Collects one page of changes, and counts all. Changes must come in order. */
export class PastChangesPage {
  readonly #changes: PastChange[] = [];
  readonly #counts = { entered: 0, left: 0, changed: 0 };
  readonly #limit: number;
  readonly #afterKey: QueryKey | undefined;
  #chars = 0;
  #hasMore = false;

  constructor({ limit, afterKey }: { readonly limit: number; readonly afterKey?: QueryKey | undefined }) {
    this.#limit = limit;
    this.#afterKey = afterKey;
  }

  add(change: SelectionChange, before: PlacedObject, after: PlacedObject): void {
    this.#counts[change] += 1;
    const { view, row } = change === "left" ? before : after;
    if (this.#hasMore || view === undefined) return;
    const key = keyOfRow(view, row);
    if (this.#afterKey !== undefined && compareQueryKeys(key, this.#afterKey) <= 0) return;
    const [old, now] = [rowOf(before), rowOf(after)];
    const chars = charsOf(old) + charsOf(now);
    const isFull = this.#changes.length > 0 && this.#chars + chars > maxMessageChars;
    this.#hasMore = isFull || this.#changes.length === this.#limit;
    if (this.#hasMore) return;
    this.#chars += chars;
    const fields = old === undefined || now === undefined ? [] : fieldChanges(key.resource, old, now);
    this.#changes.push({ ...key, kind: view.table.kind, change, before: old, after: now, fields });
  }

  answer(): PastChangesAnswer {
    const last = this.#changes.at(-1);
    const answer = { changes: this.#changes, counts: this.#counts };
    if (!this.#hasMore || last === undefined) return { ...answer, next: undefined };
    const { cluster, resource, namespace, name } = last;
    return { ...answer, next: { cluster, resource, namespace, name } };
  }
}

function rowOf({ view, row }: PlacedObject): Row | undefined {
  return view === undefined || row === -1 ? undefined : readRow(view.table, row);
}

function charsOf(row: Row | undefined): number {
  return row === undefined ? 0 : rowChars(row);
}
