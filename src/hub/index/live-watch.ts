// SPDX-License-Identifier: Apache-2.0
import { orAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { LiveQuery, LiveQueryUpdate } from "../rows/fleet-queries.ts";
import type { QueryViewer } from "./query-runs.ts";

/** The calls of the index that a live view needs. */
export interface LiveViewPort {
  openView(by: QueryViewer, query: LiveQuery): Promise<{ readonly id: number }>;
  nextUpdate(id: number, change?: Pick<QueryViewer, "clusters">): Promise<LiveQueryUpdate | undefined>;
  closeView(id: number): Promise<void>;
}

export interface LiveWatchOptions {
  readonly index: LiveViewPort;
  readonly clock: Pick<Clock, "nowMs">;
  /** The viewer, and the clusters that the hub shows to it now. Throws PERMISSION_DENIED when it may no longer watch. */
  readonly by: () => QueryViewer;
}

/** The hub's own permissions are looked up again after this time. */
const permissionMs = 1_000;

/**
 * A live view: a snapshot, or the changes since the position of the query, then changes. While the reader is busy
 * nothing is queued: it then gets what changed in the meantime. `unchanged` while nothing does (4 s). Ends with GONE if
 * the reader takes longer than a minute, with PERMISSION_DENIED when the hub's permission ends, and with the signal's
 * reason.
 */
export async function* watchLive(
  { index, clock, by }: LiveWatchOptions,
  query: LiveQuery,
  signal: AbortSignal,
): AsyncGenerator<LiveQueryUpdate | "unchanged", void, undefined> {
  const viewer = by();
  let { clusters: shown } = viewer;
  let lookedUpMs = clock.nowMs();
  const { id } = await index.openView(viewer, query);
  try {
    for (;;) {
      let change: Pick<QueryViewer, "clusters"> | undefined;
      if (clock.nowMs() - lookedUpMs >= permissionMs) {
        const { clusters } = by();
        lookedUpMs = clock.nowMs();
        if (!isSameClusters(shown, clusters)) change = { clusters };
        shown = clusters;
      }
      yield (await orAborted(index.nextUpdate(id, change), signal)) ?? "unchanged";
    }
  } finally {
    await index.closeView(id);
  }
}

function isSameClusters(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.size === b.size && a.isSubsetOf(b);
}
