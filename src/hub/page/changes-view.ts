// SPDX-License-Identifier: Apache-2.0
// The feed of changes as the page shows it: the last ones before somebody came, then the newest of each half second, and how many were left out.
import { create, toBinary } from "@bufbuild/protobuf";
import { FlotillaError, hasCode } from "../../base/error.ts";
import { ChangesUpdateSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import type { FeedCursor, FlushChanges } from "../fleet/change-feed.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";
import { toChange } from "../fleet-services/row-service.ts";
import type { ChangeFilter } from "./change-filter.ts";
import type { ViewReader, ViewUpdate } from "./live-view.ts";
import { maxChangeCount, maxEarlierCount } from "./page-limits.ts";
import type { Scope } from "./scope-book.ts";
import type { Sight } from "./sight-book.ts";

export interface ChangesViewOptions {
  readonly parts: FleetParts;
  readonly onEncoded: (bytes: number) => void;
}

/** Changes looked at for one update: about 10 ms. What is beyond comes with the next one; of what was before, it is left out. */
const maxLookedCount = 10_000;

/** Reading ends at what is there and waits for nothing. */
const unending = new AbortController().signal;

interface Picked {
  readonly flush: FlushChanges;
  readonly change: FlushChanges["changes"][number];
}

type Found = { readonly update: ViewUpdate | undefined; readonly reached: number };

/** Updates of the feed, each made once for all who look through the same filter from the same position. */
export class ChangesView {
  readonly #options: ChangesViewOptions;
  readonly #found = new Map<string, Promise<Found>>();
  #end: FeedCursor;

  constructor(options: ChangesViewOptions) {
    this.#options = options;
    this.#end = options.parts.fleet.feed.cursor;
  }

  /** A new step: what has become visible by now is shown. */
  refresh(): void {
    this.#end = this.#options.parts.fleet.feed.cursor;
    this.#found.clear();
  }

  /**
   * A reader from a position on; one that is too old or of another run begins with the last changes before now. The filter is made when it
   * is first read, so that one which cannot be made refuses this subscription alone.
   */
  open(position: string, createFilter: () => ChangeFilter, sight: Sight): ViewReader {
    const { feed } = this.#options.parts.fleet;
    let standing = this.#find(position);
    let { scope } = sight;
    let filter: ChangeFilter | undefined;
    return {
      view: "changes",
      next: async () => {
        if (!sight.watchesRows) throw denied();
        filter ??= createFilter();
        const isLess = this.#hasLost(scope, sight.scope);
        scope = sight.scope;
        const isStart = standing === undefined || standing < feed.oldest.position || isLess;
        const { update, reached } = await this.#update(isStart ? undefined : standing, filter, scope);
        standing = reached;
        return update;
      },
      close: () => undefined,
    };
  }

  #find(text: string): number | undefined {
    const [, feedId, digits] = /^([^.]{1,64})\.(\d{1,15})$/.exec(text) ?? [];
    const position = Number(digits);
    return feedId === this.#end.feedId && position <= this.#end.position ? position : undefined;
  }

  /** True where a cluster is still there and no longer to be seen: then what is shown of it goes, with all the rest. */
  #hasLost(before: Scope, now: Scope): boolean {
    if (before === now) return false;
    const { clusters } = this.#options.parts.fleet;
    return [...before.ids].some((id) => !now.ids.has(id) && clusters.get(id) !== undefined);
  }

  #update(from: number | undefined, filter: ChangeFilter, scope: Scope): Promise<Found> {
    const key = `${scope.key} ${from} ${filter.key}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = from === undefined ? this.#begin(filter, scope.ids) : this.#read(from, filter, scope.ids);
    this.#found.set(key, found);
    return found;
  }

  /** The last changes up to this very moment, not to that of the step; what comes after them is read from here. */
  async #begin(filter: ChangeFilter, ids: ReadonlySet<string>): Promise<Found> {
    this.#end = this.#options.parts.fleet.feed.cursor;
    const { position: reached } = this.#end;
    const picked: Picked[] = [];
    let lookedCount = 0;
    for (const flush of this.#options.parts.fleet.feed.readBack(reached)) {
      const changes = this.#seen(flush, filter, ids);
      lookedCount += 1 + changes.length;
      const wanted = changes.filter((change) => filter.takes(change)).slice(picked.length - maxEarlierCount);
      picked.push(...wanted.reverse().map((change) => ({ flush, change })));
      if (picked.length === maxEarlierCount || lookedCount >= maxLookedCount) break;
    }
    return { update: { ...this.#encode(picked.reverse(), 0, reached), isSnapshot: true }, reached };
  }

  /** The changes of a flush that may be looked at. */
  #seen(flush: FlushChanges, filter: ChangeFilter, ids: ReadonlySet<string>): FlushChanges["changes"] {
    const isSeen = ids.has(flush.cluster) && filter.takesCluster(flush.cluster);
    // Before its grants are complete nothing is told of a cluster's objects (L2).
    return isSeen && this.#options.parts.fleet.picture.isRbacComplete(flush.cluster) ? flush.changes : [];
  }

  async #read(from: number, filter: ChangeFilter, ids: ReadonlySet<string>): Promise<Found> {
    const { feed } = this.#options.parts.fleet;
    const picked: Picked[] = [];
    let [reached, lookedCount, leftOutCount] = [from, 0, 0];
    if (from >= this.#end.position) return { update: undefined, reached };
    try {
      for await (const flush of feed.read({ ...this.#end, position: from }, unending)) {
        reached = flush.position;
        const changes = this.#seen(flush, filter, ids);
        lookedCount += 1 + changes.length;
        for (const change of changes) if (filter.takes(change)) picked.push({ flush, change });
        leftOutCount += dropOldest(picked);
        if (reached >= this.#end.position || lookedCount >= maxLookedCount) break;
      }
    } catch (reason) {
      // Whoever is too late begins anew with the next step.
      if (!hasCode(reason, "GONE")) throw reason;
    }
    if (picked.length === 0) return { update: undefined, reached };
    return { update: this.#encode(picked, leftOutCount, reached), reached };
  }

  #encode(picked: readonly Picked[], leftOutCount: number, reached: number): ViewUpdate {
    const { parts, onEncoded } = this.#options;
    const changes = picked.map(({ flush, change }) => toChange(parts, flush, change));
    const bytes = toBinary(ChangesUpdateSchema, create(ChangesUpdateSchema, { changes, leftOutCount }));
    onEncoded(bytes.length);
    return { position: this.#positionText(reached), isSnapshot: false, bytes };
  }

  #positionText(position: number): string {
    return `${this.#end.feedId}.${position}`;
  }
}

/** Leaves the newest that fit. Returns how many went. */
function dropOldest(picked: Picked[]): number {
  const overCount = Math.max(0, picked.length - maxChangeCount);
  picked.splice(0, overCount);
  return overCount;
}

function denied(): FlotillaError {
  return new FlotillaError("PERMISSION_DENIED", "you may not watch rows; an administrator can let you");
}
