// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import type { FleetQueryAnswer, FoundFleetRow, LiveQuery, LiveQueryUpdate, QueriedObject } from "./fleet-queries.ts";

/** The shortest time between two answers of one view. Changes in between are shown together. */
const intervalMs = 500;

/** After this time a view is asked again even if nothing changed: ages pass, and clusters become stale. */
const maxIntervalMs = 5_000;

export interface WatchByAskingOptions {
  readonly clock: Clock;
  /** Answers the view's query as its subject, over what that subject may watch. */
  readonly ask: (query: LiveQuery) => Promise<FleetQueryAnswer>;
  /** Another text each time that rows, or what the subject sees, may have changed. */
  readonly version: () => Promise<string>;
}

/**
 * A live view: the answer of its query, then the differences between answers. Nothing is queued: a reader that is busy
 * gets the newest state when it returns. The position of another view begins with a snapshot. Ends with the signal's
 * reason.
 */
export async function* watchByAsking(
  { clock, ask, version }: WatchByAskingOptions,
  query: LiveQuery,
  signal: AbortSignal,
): AsyncGenerator<LiveQueryUpdate, void, undefined> {
  let [seenVersion, askedMs, count] = ["", Number.NEGATIVE_INFINITY, 0];
  let shown: ReadonlyMap<string, FoundFleetRow> | undefined;
  let shape = "";
  for (;;) {
    const now = await version();
    if (now === seenVersion && clock.nowMs() - askedMs < maxIntervalMs) {
      await clock.sleep(intervalMs, signal);
      continue;
    }
    [seenVersion, askedMs] = [now, clock.nowMs()];
    const answer = await ask(query);
    const next = new Map(answer.rows.map((row) => [keyOf(row), row]));
    const nextShape = JSON.stringify([[...next.keys()], answer.total, answer.facets, answer.clusters]);
    const rows = answer.rows.filter((row) => shown?.get(keyOf(row))?.row.rowHash !== row.row.rowHash);
    const left = [...(shown ?? [])].filter(([key]) => !next.has(key)).map(([, row]) => objectOf(row));
    if (shown === undefined || rows.length + left.length > 0 || nextShape !== shape) {
      count += 1;
      yield {
        isSnapshot: shown === undefined,
        rows,
        left,
        total: answer.total,
        facets: answer.facets,
        clusters: answer.clusters,
        resources: answer.resources,
        position: String(count),
      };
    }
    [shown, shape] = [next, nextShape];
    await clock.sleep(intervalMs, signal);
  }
}

function keyOf({ cluster, resource, row }: FoundFleetRow): string {
  return JSON.stringify([cluster, resource, row.namespace, row.name]);
}

function objectOf({ cluster, resource, row: { namespace, name } }: FoundFleetRow): QueriedObject {
  return { cluster, resource, namespace, name };
}
