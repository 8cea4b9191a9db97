// SPDX-License-Identifier: Apache-2.0
// The change feed for the page: recent changes first, then the newest of each half second, with the number of omitted
// ones.
import { create, toBinary } from "@bufbuild/protobuf";
import { FlotillaError, hasCode } from "../../../base/error.ts";
import { ChangesUpdateSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import type { FleetParts } from "../../fleet-services/fleet-parts.ts";
import { loadChanges, type PlacedChange } from "../../fleet-services/row-service.ts";
import type { ChangeReader, FeedCursor, FlushChanges } from "../../rows/fleet-reader.ts";
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

/** What was read for an update, and the position that it reaches. */
interface Found {
  readonly update: ViewUpdate | undefined;
  readonly reached: number;
}

/** The parameters of an update, and the user as which it is read. Users with the same scope share what is found. */
interface UpdateRequest {
  readonly user: UserScope;
  readonly scope: Scope;
  readonly filter: ChangeFilter;
  readonly feed: ChangeReader;
}

/** Updates of the feed. Each is encoded once for all readers with the same filter, scope and position. */
export class ChangesView {
  readonly #options: ChangesViewOptions;
  readonly #found = new Map<string, Promise<Found>>();
  /** The end of the feed at the first read of this step: updates of one step end at one position. */
  #end: FeedCursor | undefined;

  constructor(options: ChangesViewOptions) {
    this.#options = options;
  }

  /** Starts a new step: includes all changes visible now. */
  refresh(): void {
    this.#end = undefined;
    this.#found.clear();
  }

  /**
   * A reader from a position. One that is too old or of another run starts with the recent changes. The filter is
   * created at the first read, so that an invalid one fails only this subscription.
   */
  open(position: string, createFilter: () => Promise<ChangeFilter>, user: UserScope): ViewReader {
    const feed = this.#options.parts.fleet.reader.changes(user.subject);
    let reachedPosition = findPosition(position, feed.cursor);
    let { scope } = user;
    let filter: ChangeFilter | undefined;
    let found: (Found & { readonly scope: Scope }) | undefined;
    const load = async (): Promise<void> => {
      filter ??= await createFilter();
      const { scope: scopeNow } = user;
      const isLost = reachedPosition === undefined || reachedPosition < feed.oldest.position;
      const from = isLost || this.#hasLost(scope, scopeNow) ? undefined : reachedPosition;
      found = { ...(await this.#update(from, { user, scope: scopeNow, filter, feed })), scope: scopeNow };
    };
    return {
      view: "changes",
      read: () => {
        if (!user.watchesRows) return undefined;
        const isCurrent = reachedPosition === feed.cursor.position && scope === user.scope;
        return filter !== undefined && isCurrent ? undefined : load();
      },
      next: () => {
        if (!user.watchesRows) throw denied();
        const taken = found;
        found = undefined;
        // What was read under another scope is dropped: the next step reads again.
        if (taken === undefined || taken.scope !== user.scope) return undefined;
        reachedPosition = taken.reached;
        scope = taken.scope;
        return taken.update;
      },
      close: () => undefined,
    };
  }

  /** True if an existing cluster is no longer visible. The view then restarts, which removes its changes. */
  #hasLost(before: Scope, now: Scope): boolean {
    if (before === now) return false;
    const { clusters } = this.#options.parts.fleet;
    return [...before.ids].some((id) => !now.ids.has(id) && clusters.get(id) !== undefined);
  }

  #update(from: number | undefined, request: UpdateRequest): Promise<Found> {
    const { user, scope, filter } = request;
    const key = `${scope.key} ${from} ${filter.key}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    // Checked again: a user that has just lost its right must not read for the others.
    if (!user.canWatchNow()) throw denied();
    const found = from === undefined ? this.#begin(request) : this.#read(from, request);
    this.#found.set(key, found);
    return found;
  }

  /** The recent changes up to now rather than to the step; later ones are read from here. */
  async #begin(request: UpdateRequest): Promise<Found> {
    const { filter, feed } = request;
    const end = feed.cursor;
    this.#end = end;
    const picked: PlacedChange[] = [];
    let lookedCount = 0;
    for await (const flush of feed.readBack(end.position)) {
      const changes = takeChanges(flush, request);
      lookedCount += 1 + changes.length;
      const wanted = changes.filter((change) => filter.takes(change)).slice(picked.length - maxEarlierCount);
      picked.push(...wanted.reverse().map((change) => ({ flush, change })));
      if (picked.length === maxEarlierCount || lookedCount >= maxLookedCount) break;
    }
    const update = await this.#encode(picked.reverse(), 0, { ...request, reached: end });
    return { update: { ...update, isSnapshot: true }, reached: end.position };
  }

  async #read(from: number, request: UpdateRequest): Promise<Found> {
    const { filter, feed } = request;
    const picked: PlacedChange[] = [];
    this.#end ??= feed.cursor;
    const end = this.#end;
    let [reached, lookedCount, leftOutCount] = [from, 0, 0];
    if (from >= end.position) return { update: undefined, reached };
    try {
      for await (const flush of feed.read({ ...end, position: from }, neverAborted)) {
        reached = flush.position;
        const changes = takeChanges(flush, request);
        lookedCount += 1 + changes.length;
        for (const change of changes) if (filter.takes(change)) picked.push({ flush, change });
        leftOutCount += dropOldest(picked);
        if (reached >= end.position || lookedCount >= maxLookedCount) break;
      }
    } catch (reason) {
      // A reader whose position is no longer kept restarts in the next step.
      if (!hasCode(reason, "GONE")) throw reason;
    }
    if (picked.length === 0) return { update: undefined, reached };
    const update = await this.#encode(picked, leftOutCount, { ...request, reached: { ...end, position: reached } });
    return { update, reached };
  }

  async #encode(
    picked: readonly PlacedChange[],
    leftOutCount: number,
    { user, reached }: UpdateRequest & { readonly reached: FeedCursor },
  ): Promise<ViewUpdate> {
    const { parts, onEncoded } = this.#options;
    const changes = await loadChanges(parts.fleet.reader, user.subject, picked);
    const bytes = toBinary(ChangesUpdateSchema, create(ChangesUpdateSchema, { changes, leftOutCount }));
    onEncoded(bytes.length);
    return { position: `${reached.feedId}.${reached.position}`, isSnapshot: false, bytes };
  }
}

/** Undefined for a position that is malformed, of another feed or after its end. */
function findPosition(text: string, end: FeedCursor): number | undefined {
  const [, feedId, digits] = /^([^.]{1,64})\.(\d{1,15})$/.exec(text) ?? [];
  const position = Number(digits);
  return feedId === end.feedId && position <= end.position ? position : undefined;
}

/** The changes of a flush whose cluster the viewer may see and the filter matches; else none. */
function takeChanges(flush: FlushChanges, { scope, filter }: UpdateRequest): FlushChanges["changes"] {
  return scope.ids.has(flush.cluster) && filter.takesCluster(flush.cluster) ? flush.changes : [];
}

/** Drops the oldest above the limit. Returns how many. */
function dropOldest(picked: PlacedChange[]): number {
  const overCount = Math.max(0, picked.length - maxChangeCount);
  picked.splice(0, overCount);
  return overCount;
}

function denied(): FlotillaError {
  return new FlotillaError("PERMISSION_DENIED", "you have no permission to watch rows; ask an administrator for it");
}
