// SPDX-License-Identifier: Apache-2.0
// What is in trouble in each cluster, counted by kind. A kind is counted anew when it changed, a bounded piece at each step of the board, so that a
// busy fleet makes counts later and never the hub slow.
import type { Row } from "../../model/row.ts";
import { statusRank } from "../../model/status.ts";
import type { Picture } from "../fleet/picture.ts";
import { maxTroubledRowCount } from "./page-limits.ts";

/** A row in trouble, with the kind that it is of. */
export interface TroubledRow {
  readonly resource: string;
  readonly kind: string;
  readonly row: Row;
}

/** The count of one kind. */
export interface TroubleCount {
  readonly resource: string;
  readonly kind: string;
  readonly count: number;
  /** The worst of them where they are wanted, at most 500. */
  readonly rows: readonly TroubledRow[];
}

/** Rows looked at in one step of the board: about 10 ms, 2 % of its time. */
const rowsPerStep = 5_000;

/** What finding the next kind to count costs, in rows looked at. */
const findingCost = 20;

/** Unhealthy or degraded: it does not do its work, or part of it. */
const worstTroubleRank = statusRank("degraded");

interface Count extends TroubleCount {
  /** Where in the fleet log the kind stood when it was counted. */
  readonly position: number;
  readonly hasRows: boolean;
}

type Scan = Generator<void, Count, undefined>;

/** Orders rows by status, then by kind and key, so that equal trouble is an equal list. */
export function compareTrouble(a: TroubledRow, b: TroubledRow): number {
  const byRank = statusRank(a.row.status) - statusRank(b.row.status);
  if (byRank !== 0) return byRank;
  const [left, right] = [a, b].map(({ resource, row }) => `${resource} ${row.namespace} ${row.name}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
}

/** Counts of all clusters. Before a kind is first counted it has none. */
export class TroubleTally {
  readonly #picture: Picture;
  readonly #onChange: (cluster: string) => void;
  readonly #wantsRows: (cluster: string) => boolean;
  readonly #counts = new Map<string, Map<string, Count>>();
  /** Clusters to look at, in order. */
  readonly #waiting = new Set<string>();
  #scan: { readonly cluster: string; readonly scan: Scan } | undefined;

  constructor(options: {
    readonly picture: Picture;
    readonly onChange: (cluster: string) => void;
    /** Whether somebody looks at the rows themselves. */
    readonly wantsRows: (cluster: string) => boolean;
  }) {
    this.#picture = options.picture;
    this.#onChange = options.onChange;
    this.#wantsRows = options.wantsRows;
  }

  /** The cluster's rows may be others. */
  touch(cluster: string): void {
    this.#waiting.add(cluster);
  }

  /** Kinds in trouble, in order of their names. */
  of(cluster: string): readonly TroubleCount[] {
    const counts = [...(this.#counts.get(cluster)?.values() ?? [])].filter(({ count }) => count > 0);
    return counts.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  }

  /** The kind's name, where it was counted. */
  kindOf(cluster: string, resource: string): string {
    return this.#counts.get(cluster)?.get(resource)?.kind ?? "";
  }

  forget(cluster: string): void {
    this.#counts.delete(cluster);
    this.#waiting.delete(cluster);
    if (this.#scan?.cluster === cluster) this.#scan = undefined;
  }

  /** Nobody looks at the rows of the cluster any more. */
  releaseRows(cluster: string): void {
    const counts = this.#counts.get(cluster);
    for (const [resource, count] of counts ?? []) counts?.set(resource, { ...count, rows: [], hasRows: false });
  }

  /** Goes on counting, for a bounded time. */
  step(): void {
    for (let looked = 0; looked < rowsPerStep; looked += 1) {
      if (this.#scan === undefined) {
        this.#scan = this.#next();
        looked += findingCost;
      }
      if (this.#scan === undefined) return;
      const { cluster, scan } = this.#scan;
      const { done, value } = scan.next();
      if (done !== true) continue;
      this.#scan = undefined;
      this.#keep(cluster, value);
    }
  }

  /** The first kind that is not counted as it is. A cluster without one leaves the line. */
  #next(): { readonly cluster: string; readonly scan: Scan } | undefined {
    for (const cluster of this.#waiting) {
      const counts = this.#counts.get(cluster);
      const wantsRows = this.#wantsRows(cluster);
      const kinds = this.#picture.kinds(cluster);
      for (const resource of counts?.keys() ?? [])
        if (!kinds.some((kind) => kind.resource === resource)) counts?.delete(resource);
      const changed = kinds.find(({ resource, position }) => {
        const count = counts?.get(resource);
        return count?.position !== position || (wantsRows && !count.hasRows && count.count > 0);
      });
      // To the end of the line: a cluster that never rests does not keep others waiting.
      this.#waiting.delete(cluster);
      if (changed === undefined) continue;
      this.#waiting.add(cluster);
      return { cluster, scan: this.#count(cluster, changed.resource, wantsRows) };
    }
    return undefined;
  }

  *#count(cluster: string, resource: string, wantsRows: boolean): Scan {
    const snapshot = this.#picture.snapshot(cluster, resource);
    let [count, kind] = [0, ""];
    let rows: TroubledRow[] = [];
    for (const group of snapshot?.groups ?? []) {
      kind = group.kind;
      for (const row of group.rows()) {
        yield;
        if (statusRank(row.status) > worstTroubleRank) continue;
        count += 1;
        if (wantsRows) rows.push({ resource, kind, row });
        if (rows.length >= 2 * maxTroubledRowCount) rows = worstOf(rows);
      }
    }
    return { resource, kind, count, rows: worstOf(rows), position: snapshot?.position ?? 0, hasRows: wantsRows };
  }

  #keep(cluster: string, count: Count): void {
    const counts = this.#counts.get(cluster) ?? new Map<string, Count>();
    this.#counts.set(cluster, counts);
    counts.set(count.resource, count);
    this.#onChange(cluster);
  }
}

function worstOf(rows: readonly TroubledRow[]): TroubledRow[] {
  return [...rows].sort(compareTrouble).slice(0, maxTroubledRowCount);
}
