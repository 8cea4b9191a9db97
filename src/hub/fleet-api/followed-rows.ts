// SPDX-License-Identifier: Apache-2.0
// Turns changes of keys into events of selected rows. The feed of changes has the keys; the rows are read when their
// event is created, so that a slow reader gets the newest state and nothing is kept for it.
import { ApiError } from "../../apiserver/status/api-error.ts";
import { maxQueryLength } from "../../index/language/parse-query.ts";
import { printQuery } from "../../index/language/print-query.ts";
import type { FoundFleetRow } from "../rows/fleet-queries.ts";
import type { FlushChanges, RowChange } from "../rows/fleet-reader.ts";
import type { RowQueries } from "./fleet-api-parts.ts";
import type { GoneObject } from "./fleet-table.ts";
import { queryAllRows, queryRows } from "./query-rows.ts";
import { allOf, isOneOf } from "./row-conditions.ts";
import { type FleetSelection, keyOfRow, keyTextOf, queryText, type RowPlace } from "./select-rows.ts";

/** One event of a watch. `gone` names a deleted object whose last row is not known. */
export type RowEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly found: FoundFleetRow }
  | { readonly type: "DELETED"; readonly gone: GoneObject };

/**
 * The most objects that a watch by labels or fields follows. Their keys are kept, because a change does not tell
 * whether the object was selected before it: 20,000 keys take some 2 MB.
 */
export const maxFollowedCount = 20_000;

/** The most rows kept for their deletion: an object is most often changed shortly before it is deleted. */
const maxRecentCount = 1_000;

/** Room for the longest name, its namespace and its cluster in a query, beside the selectors. */
const keyRoom = 2_400;

/** The most names of one query. */
const maxNamesPerQuery = 50;

/** The most changes whose rows are held at a time. A flush may have those of a whole cluster. */
const changesPerSlice = 500;

export interface FollowedRowsOptions {
  readonly queries: RowQueries;
  readonly selected: FleetSelection;
  readonly signal: AbortSignal;
}

/** The selected rows as one watch knows them. Begin with `open`. */
export class FollowedRows {
  readonly #options: FollowedRowsOptions;
  /** The clusters that can have selected rows. */
  #clusters: ReadonlySet<string> = new Set();
  /** The keys of selected rows; undefined if keys alone decide the selection. */
  #selectedKeys: Set<string> | undefined;
  readonly #recent = new Map<string, FoundFleetRow>();

  constructor(options: FollowedRowsOptions) {
    this.#options = options;
  }

  /** The kind of the rows. */
  get resource(): string {
    return this.#options.selected.resource;
  }

  /**
   * Begins with the keys that the client has; those that are selected now if that is not known. Throws a refusal if the
   * rows are too many to follow, or their selectors too long.
   */
  async open(known: ReadonlySet<string> | undefined): Promise<void> {
    const { queries, selected, signal } = this.#options;
    if (selected.text.length > maxQueryLength - keyRoom)
      throw new ApiError(400, "BadRequest", "the selectors are too long for a watch; list without a watch");
    const { clusters, total } = await queryRows(queries, selected, { limit: 0, cursor: "" }, signal);
    this.#clusters = new Set(clusters);
    if (selected.isByKey) return;
    if (total > maxFollowedCount) throw tooMany(total);
    const keys = new Set(known);
    if (known === undefined)
      for await (const { rows } of queryAllRows(queries, selected, signal))
        for (const found of rows) keys.add(keyOfRow(found));
    this.#selectedKeys = keys;
  }

  /** The selected rows as they are now, page by page. */
  async *present(): AsyncGenerator<readonly RowEvent[]> {
    const { queries, selected, signal } = this.#options;
    for await (const { rows } of queryAllRows(queries, selected, signal))
      yield rows.map((found) => this.#upsert(found, true));
  }

  /**
   * The events of a flush, in slices. `isCatchUp`: the client may have rows that are not known here, because the flush
   * is older than `open`. An object that is not selected now is then reported as deleted, to be sure.
   */
  async *apply({ cluster, changes }: FlushChanges, isCatchUp: boolean): AsyncGenerator<readonly RowEvent[]> {
    const { selected } = this.#options;
    if (!this.#clusters.has(cluster)) return;
    const own = changes.filter(
      ({ resource, namespace, name }) =>
        resource === selected.resource && selected.canHave({ cluster, namespace, name }),
    );
    for (let from = 0; from < own.length; from += changesPerSlice) {
      const slice = own.slice(from, from + changesPerSlice);
      const present = slice.filter(({ kind }) => kind !== "removed");
      const rows = await this.#readRows(cluster, present);
      yield slice.flatMap((change) => this.#toEvent({ ...change, cluster }, rows, isCatchUp));
    }
  }

  #toEvent(
    change: RowChange & RowPlace,
    rows: ReadonlyMap<string, FoundFleetRow>,
    isCatchUp: boolean,
  ): readonly RowEvent[] {
    const key = keyTextOf(change);
    const found = change.kind === "removed" ? undefined : rows.get(key);
    if (found !== undefined) return [this.#upsert(found, change.kind === "added")];
    // A row that is absent although its key was not removed is removed by a later change, or no longer visible.
    if (change.kind !== "removed" && this.#selectedKeys === undefined) return [];
    const wasSelected = this.#selectedKeys?.delete(key) ?? true;
    if (!wasSelected && (!isCatchUp || change.kind === "added")) return [];
    const last = this.#recent.get(key);
    this.#recent.delete(key);
    const { cluster, namespace, name, uid } = change;
    return [
      last?.row.uid === uid
        ? { type: "DELETED", found: last }
        : { type: "DELETED", gone: { cluster, namespace, name, uid } },
    ];
  }

  #upsert(found: FoundFleetRow, isAdded: boolean): RowEvent {
    const key = keyOfRow(found);
    const isKnown = this.#selectedKeys?.has(key) ?? true;
    this.#selectedKeys?.add(key);
    if ((this.#selectedKeys?.size ?? 0) > 2 * maxFollowedCount) throw tooMany(2 * maxFollowedCount);
    this.#recent.delete(key);
    this.#recent.set(key, found);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > maxRecentCount && oldest !== undefined) this.#recent.delete(oldest);
    return { type: isAdded || !isKnown ? "ADDED" : "MODIFIED", found };
  }

  /** The present rows of these keys that are selected, by key. */
  async #readRows(cluster: string, changes: readonly RowChange[]): Promise<ReadonlyMap<string, FoundFleetRow>> {
    const { queries, selected, signal } = this.#options;
    const wanted = new Set(changes.map(({ namespace, name }) => keyTextOf({ cluster, namespace, name })));
    const rows = new Map<string, FoundFleetRow>();
    for (const group of groupKeys(changes, maxQueryLength - selected.text.length)) {
      const condition = allOf([selected.condition, isOneOf("cluster", [cluster]), keyCondition(group)]);
      const query = { resource: selected.resource, text: queryText(condition) };
      for await (const page of queryAllRows(queries, query, signal))
        for (const found of page.rows) if (wanted.has(keyOfRow(found))) rows.set(keyOfRow(found), found);
    }
    return rows;
  }
}

function tooMany(count: number): ApiError {
  const sentence = `a watch by labels or fields follows at most ${maxFollowedCount} objects, and these select ${count}; add a namespace or a cluster`;
  return new ApiError(400, "BadRequest", sentence);
}

type KeyParts = Pick<RowPlace, "namespace" | "name">;

/** Holds for these keys, and for others that have the namespace of one and the name of another. */
function keyCondition(keys: readonly KeyParts[]): ReturnType<typeof allOf> {
  const distinct = (part: keyof KeyParts): readonly string[] => [...new Set(keys.map((key) => key[part]))];
  return allOf([isOneOf("namespace", distinct("namespace")), isOneOf("name", distinct("name"))]);
}

/** Groups of keys that fit into one query each. */
function* groupKeys(keys: readonly KeyParts[], room: number): Generator<readonly KeyParts[]> {
  /** The cluster's condition, blanks and the names of fields. */
  const fixed = 128;
  let group: KeyParts[] = [];
  let length = fixed;
  for (const key of keys) {
    const added = printQuery(keyCondition([key])).length;
    if (group.length > 0 && (group.length >= maxNamesPerQuery || length + added > room)) {
      yield group;
      group = [];
      length = fixed;
    }
    group.push(key);
    length += added;
  }
  if (group.length > 0) yield group;
}
