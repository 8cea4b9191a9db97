// SPDX-License-Identifier: Apache-2.0
// The change feed for the page: recent changes first, then the newest of each half second, with the number of omitted
// ones.
import { create, toBinary } from "@bufbuild/protobuf";
import { FlotillaError, hasCode } from "../../../base/error.ts";
import { ChangesUpdateSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import type { FleetParts } from "../../fleet-services/fleet-parts.ts";
import { toChange } from "../../fleet-services/row-service.ts";
import type { FeedCursor, FlushChanges } from "../../rows/change-feed.ts";
import type { ViewReader, ViewUpdate } from "../live-view.ts";
import { maxChangeCount, maxEarlierCount } from "../page-limits.ts";
import type { Scope } from "../scope-cache.ts";
import type { UserScope } from "../user-scopes.ts";
import type { ChangeFilter } from "./change-filter.ts";

export interface ChangesViewOptions {
  readonly parts: FleetParts;
  readonly onEncoded: (bytes: number) => void;
}

/**
 * Changes scanned for one update: about 10 ms. An update continues with the rest in the next step; the start of a feed
 * omits older ones.
 */
const maxLookedCount = 10_000;

/** Never aborts: reading stops at the end of the feed and does not wait. */
const neverAborted = new AbortController().signal;

interface Picked {
  readonly flush: FlushChanges;
  readonly change: FlushChanges["changes"][number];
}

type Found = { readonly update: ViewUpdate | undefined; readonly reached: number };

/** Updates of the feed. Each is encoded once for all readers with the same filter, scope and position. */
export class ChangesView {
  readonly #options: ChangesViewOptions;
  readonly #found = new Map<string, Promise<Found>>();
  #end: FeedCursor;

  constructor(options: ChangesViewOptions) {
    this.#options = options;
    this.#end = options.parts.fleet.feed.cursor;
  }

  /** Starts a new step: includes all changes visible now. */
  refresh(): void {
    this.#end = this.#options.parts.fleet.feed.cursor;
    this.#found.clear();
  }

  /**
   * A reader from a position. One that is too old or of another run starts with the recent changes. The filter is
   * created at the first read, so that an invalid one fails only this subscription.
   */
  open(position: string, createFilter: () => ChangeFilter, user: UserScope): ViewReader {
    const { feed } = this.#options.parts.fleet;
    let reachedPosition = this.#find(position);
    let { scope } = user;
    let filter: ChangeFilter | undefined;
    return {
      view: "changes",
      next: async () => {
        if (!user.watchesRows) throw denied();
        filter ??= createFilter();
        const hasLost = this.#hasLost(scope, user.scope);
        scope = user.scope;
        const isStart = reachedPosition === undefined || reachedPosition < feed.oldest.position || hasLost;
        const { update, reached } = await this.#update(isStart ? undefined : reachedPosition, filter, scope);
        reachedPosition = reached;
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

  /** True if an existing cluster is no longer visible. The view then restarts, which removes its changes. */
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

  /** The recent changes up to now rather than to the step; later ones are read from here. */
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

  /** The changes of a flush whose cluster the viewer may see and the filter matches; else none. */
  #seen(flush: FlushChanges, filter: ChangeFilter, ids: ReadonlySet<string>): FlushChanges["changes"] {
    const isSeen = ids.has(flush.cluster) && filter.takesCluster(flush.cluster);
    // A cluster's objects are not shown before its grants are complete (L2).
    return isSeen && this.#options.parts.fleet.fleetRows.isRbacComplete(flush.cluster) ? flush.changes : [];
  }

  async #read(from: number, filter: ChangeFilter, ids: ReadonlySet<string>): Promise<Found> {
    const { feed } = this.#options.parts.fleet;
    const picked: Picked[] = [];
    let [reached, lookedCount, leftOutCount] = [from, 0, 0];
    if (from >= this.#end.position) return { update: undefined, reached };
    try {
      for await (const flush of feed.read({ ...this.#end, position: from }, neverAborted)) {
        reached = flush.position;
        const changes = this.#seen(flush, filter, ids);
        lookedCount += 1 + changes.length;
        for (const change of changes) if (filter.takes(change)) picked.push({ flush, change });
        leftOutCount += dropOldest(picked);
        if (reached >= this.#end.position || lookedCount >= maxLookedCount) break;
      }
    } catch (reason) {
      // A reader whose position is no longer kept restarts in the next step.
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

/** Drops the oldest above the limit. Returns how many. */
function dropOldest(picked: Picked[]): number {
  const overCount = Math.max(0, picked.length - maxChangeCount);
  picked.splice(0, overCount);
  return overCount;
}

function denied(): FlotillaError {
  return new FlotillaError("PERMISSION_DENIED", "you have no permission to watch rows; ask an administrator for it");
}
