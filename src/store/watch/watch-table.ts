// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import { type Revision, toRevision } from "../../model/revision.ts";
import type { Change, WatchBatch, WatchProgress } from "../store.ts";
import type { EngineChange, StorePort } from "../store-engine.ts";
import { decodeValue, isUnder, splitKey, type TableSpec } from "../table.ts";
import type { ChangeTail } from "./change-tail.ts";

/** The limits of one read from the log by a watch that is behind. */
const logPage = { limit: 1000, bytesLimit: 1024 * 1024 };

export interface StoreWatchSource {
  readonly port: StorePort;
  readonly tail: ChangeTail;
  readonly clock: Clock;
  readonly bookmarkMs: number;
}

export interface StoreWatchRequest<T extends TableSpec> {
  readonly table: T;
  /** From joinPrefix. */
  readonly prefix: string;
  readonly from: Revision;
  readonly progress: WatchProgress | undefined;
  readonly signal: AbortSignal;
}

/**
 * Follows a table from a position (ST13 to ST15). It has no buffer: it reads the shared tail, or the log if it has
 * fallen behind the tail, each time its reader asks for more. Ends when the signal aborts; throws GONE when compaction
 * has passed it.
 */
export async function* watchTable<T extends TableSpec>(
  source: StoreWatchSource,
  request: StoreWatchRequest<T>,
): AsyncGenerator<WatchBatch<T>> {
  const { table, prefix, progress, signal } = request;
  const { clock, bookmarkMs } = source;
  let position = Number(request.from);
  let reported = position;
  // Only deliveries to this reader postpone its bookmark. Changes of other rows do not.
  let quietSinceMs = clock.nowMs();
  while (!signal.aborted) {
    const { found, reached } = await readOn(source, request, position);
    position = reached;
    const changes = found.filter(({ key }) => isUnder(prefix, key)).map((change) => toChange(table, change));
    const quietMs = clock.nowMs() - quietSinceMs;
    const wanted = Number(progress?.wanted ?? 0);
    if (changes.length > 0 || quietMs >= bookmarkMs || (wanted > reported && wanted <= position)) {
      yield { changes, revision: toRevision(position) };
      reported = position;
      quietSinceMs = clock.nowMs();
    } else if (position >= source.tail.revision) {
      await waitForChange(source, request, { wanted, waitMs: bookmarkMs - quietMs });
    }
  }
}

/** The table's changes after `position`, narrowed by the prefix as far as possible, and the position reached. */
async function readOn(
  { tail, port }: StoreWatchSource,
  { table, prefix }: StoreWatchRequest<TableSpec>,
  position: number,
): Promise<{ found: readonly EngineChange[]; reached: number }> {
  const recent = tail.since(table.name, prefix, position);
  if (recent !== undefined) return { found: recent, reached: Math.max(position, tail.revision) };
  const page = await port.changes({ after: position, ...logPage });
  return {
    found: page.changes.filter((change) => change.table === table.name),
    reached: page.changes.at(-1)?.revision ?? position,
  };
}

/**
 * Resolves when a watched row changes, the store reaches `wanted`, the reader requests another revision, the time is
 * over or the signal aborts. Changes of other rows do not wake it.
 */
function waitForChange(
  { tail, clock }: StoreWatchSource,
  { table, prefix, progress, signal }: StoreWatchRequest<TableSpec>,
  { wanted, waitMs }: { readonly wanted: number; readonly waitMs: number },
): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      for (const stop of stops) stop();
      resolve();
    };
    const stops = [
      tail.onChange(table.name, prefix, finish),
      clock.setTimer(waitMs, finish),
      () => signal.removeEventListener("abort", finish),
    ];
    if (wanted > tail.revision) stops.push(tail.onRevision(wanted, finish));
    if (progress !== undefined) stops.push(progress.onWanted(finish));
    signal.addEventListener("abort", finish, { once: true });
    if (signal.aborted) finish();
  });
}

const decoded = new WeakMap<EngineChange, Change>();

/** The change as delivered to readers. It is built once for all watches. */
function toChange<T extends TableSpec>(table: T, change: EngineChange): Change<T> {
  const known = decoded.get(change);
  if (known !== undefined) return known as Change<T>;
  const value = decodeValue(table, change.body);
  const made: Change<T> = Object.freeze({
    revision: toRevision(change.revision),
    key: splitKey(change.key),
    previousRevision: toRevision(change.previousRevision),
    ...(change.isDelete ? { value: null, removed: value } : { value }),
  });
  decoded.set(change, made);
  return made;
}
