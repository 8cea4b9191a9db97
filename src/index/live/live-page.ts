// SPDX-License-Identifier: Apache-2.0
// The page of a live view as keys and hashes, and how one page differs from another. The rows themselves stay in tables.
import type { Row, RowHash } from "../../model/rows/row.ts";
import type { FacetAnswer, QueryKey } from "../query/query-request.ts";

/** A row on the page of a live view. It does not change. */
export interface LiveEntry {
  readonly key: QueryKey;
  readonly rowHash: RowHash;
  /** Since when the object is in trouble, by the hub's wall clock (HE18). The row hash does not cover it. */
  readonly troubledSinceMs: number | undefined;
}

/** The rows of a page, in order. */
export type LivePage = readonly LiveEntry[];

/** What a live view shows. It does not change. */
export interface LiveState {
  readonly page: LivePage;
  /** Of all rows, also of those beyond the page. */
  readonly total: number;
  readonly facets: readonly FacetAnswer[];
  /** The rows of the page, in order, if they were read with it. Otherwise they are in the tables. */
  readonly rows?: readonly Row[];
}

/**
 * The difference between two pages. Removing `left` and all `entries` from the older page, then inserting each entry at
 * its place, in order, gives the newer page.
 */
export interface PageDifference {
  /** Entered, changed or moved, in the order of the newer page. */
  readonly entries: readonly LiveEntry[];
  /** The places of these entries in the newer page, from 0. */
  readonly places: readonly number[];
  readonly left: readonly QueryKey[];
}

/** A text that is equal for equal keys only. Parts of keys have no NUL. */
export function keyText({ cluster, resource, namespace, name }: QueryKey): string {
  return `${cluster}\0${resource}\0${namespace}\0${name}`;
}

/** How `after` differs from `before`. An entry that kept its hash counts only if it moved among those that kept theirs. */
export function diffPages(before: LivePage, after: LivePage): PageDifference {
  const present = new Set(after);
  /** Entries that are not the same object on both pages, by key: few of a page. */
  const others = new Map<string, number>();
  const places = new Map<LiveEntry, number>();
  for (const [place, entry] of before.entries())
    if (present.has(entry)) places.set(entry, place);
    else others.set(keyText(entry.key), place);
  const [entries, at]: [LiveEntry[], number[]] = [[], []];
  let lastKept = -1;
  for (const [place, entry] of after.entries()) {
    const oldPlace = places.get(entry) ?? takePlace(others, entry);
    const old = oldPlace === undefined ? undefined : before[oldPlace];
    if (old !== undefined && oldPlace !== undefined && isSameEntry(old, entry) && oldPlace > lastKept) {
      lastKept = oldPlace;
      continue;
    }
    entries.push(entry);
    at.push(place);
  }
  return { entries, places: at, left: Array.from(others.values(), (place) => keyAt(before, place)) };
}

function takePlace(places: Map<string, number>, { key }: LiveEntry): number | undefined {
  if (places.size === 0) return undefined;
  const text = keyText(key);
  const place = places.get(text);
  places.delete(text);
  return place;
}

function keyAt(page: LivePage, place: number): QueryKey {
  return page[place]?.key ?? { cluster: "", resource: "", namespace: "", name: "" };
}

function isSameEntry(a: LiveEntry, b: LiveEntry): boolean {
  return a === b || (a.rowHash === b.rowHash && a.troubledSinceMs === b.troubledSinceMs);
}

/** Whether two states show the same. */
export function isSameState(a: LiveState, b: LiveState): boolean {
  if (a.total !== b.total || a.page.length !== b.page.length) return false;
  for (const [place, entry] of a.page.entries()) {
    const other = b.page[place];
    if (entry === other) continue;
    if (other === undefined || !isSameEntry(entry, other) || keyText(entry.key) !== keyText(other.key)) return false;
  }
  return a.facets.every((facet, at) => isSameFacet(facet, b.facets[at]));
}

function isSameFacet(a: FacetAnswer, b: FacetAnswer | undefined): boolean {
  if (b === undefined || a.noneCount !== b.noneCount || a.otherCount !== b.otherCount) return false;
  if (a.values.length !== b.values.length) return false;
  return a.values.every(({ value, count }, at) => value === b.values[at]?.value && count === b.values[at]?.count);
}
