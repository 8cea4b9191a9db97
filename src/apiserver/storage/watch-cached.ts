// SPDX-License-Identifier: Apache-2.0
import { onAbort } from "../../base/abort.ts";
import type { Random } from "../../base/random.ts";
import type { JsonObject } from "../json/json.ts";
import type { ListOptions } from "../request/list-options.ts";
import type { Resource } from "../resources/resource.ts";
import { ApiError } from "../status/api-error.ts";
import type { CachedObject } from "./cached-object.ts";
import { type ListSource, parseVersion, reachRevision } from "./list-cached.ts";
import type { Selection } from "./object-selection.ts";
import type { CacheEvent, EventChunk, WatchEventWindow } from "./watch-event-window.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/**
 * Encodes events as lines of a stream. Forms with the same `id` produce the same lines, so that watches can share them.
 */
export interface EventForm {
  /** Identifies resource, version and representation; undefined if lines cannot be shared. */
  readonly id: string | undefined;
  /** One event, with its line break in JSON. `revision` is the event's; a deletion's differs from the object's. */
  line(type: EventType, cached: CachedObject, revision: number): Uint8Array;
  bookmark(revision: number, annotations: JsonObject | undefined): Uint8Array;
  error(error: ApiError): Uint8Array;
}

export interface WatchRequest {
  readonly resource: Resource;
  readonly selection: Selection;
  readonly options: ListOptions;
  readonly form: EventForm;
  readonly signal: AbortSignal;
}

export interface WatchSource extends ListSource {
  readonly random: Random;
}

/** Interval between bookmarks of an idle watch: kube-apiserver's. */
const bookmarkMs = 60_000;
/**
 * A watch without timeoutSeconds ends after 30 to 60 minutes, as in kube-apiserver, so that connections spread over
 * servers.
 */
const minTimeoutMs = 30 * 60_000;
/** Maximum number of events or objects in a chunk: about 100 KB, to bound the memory of a slow reader. */
const chunkCount = 128;
/**
 * Size at which a chunk of initial objects is sent before it has `chunkCount` objects: 128 of the largest are 200 MB.
 */
const chunkBytes = 256 * 1024;

/** Marks the bookmark that ends the initial events. */
const initialEventsEnd: JsonObject = { "k8s.io/initial-events-end": "true" };

/**
 * The stream of a watch. It reads the resource's window at its reader's pace and buffers nothing itself. The stream
 * ends when its position has left the window, the signal aborts or the timeout passes; the client then resumes or lists
 * again.
 */
export async function* watchObjects(source: WatchSource, request: WatchRequest): AsyncGenerator<Uint8Array> {
  const { cache } = source;
  const { options, form, signal } = request;
  const window = cache.resource(request.resource.storageId).window;
  const asked = parseVersion(options.resourceVersion);
  const sendsState = options.sendInitialEvents ?? asked === 0;
  if (sendsState) {
    const refused = await refusalToReach(source, asked);
    if (refused !== undefined) {
      yield form.error(refused);
      return;
    }
  }
  let from = asked > 0 && !sendsState ? asked : cache.revision;
  let position = window.positionAfter(from);
  if (position === undefined) {
    yield form.error(tooOld(from, window.startRevision));
    return;
  }
  using pace = new Pace(source, request, options);
  if (sendsState) {
    // The snapshot and the position are taken in the same turn: no event is missed between them.
    const state = currentObjects(source, request);
    for (const chunk of stateChunks(form, state)) {
      if (signal.aborted) return;
      yield chunk;
    }
    if (options.sendInitialEvents === true && options.wantsBookmarks) yield form.bookmark(from, initialEventsEnd);
  }
  while (!signal.aborted) {
    // A bookmark carries the store's newest revision. An idle logical cluster learns it only by `reachNewest`.
    if (pace.isBookmarkTime) await cache.reachNewest();
    const chunk = chunkFrom(source, request, { window, position, from });
    if (chunk === undefined) return;
    const { count, lastRevision, bytes } = chunk;
    position += count;
    from = Math.max(from, lastRevision);
    const isBookmarkDue = count < chunkCount && pace.isBookmarkDue(bytes !== undefined);
    if (bytes !== undefined) yield bytes;
    else if (isBookmarkDue) yield form.bookmark(Math.max(from, cache.revision), undefined);
    else if (pace.isOver) return;
    else if (count === 0) await pace.wait();
  }
}

/**
 * Waits as `reachRevision` does. Returns a refusal instead of throwing it, because the response has begun: it is sent
 * on the stream.
 */
async function refusalToReach(source: WatchSource, revision: number): Promise<ApiError | undefined> {
  try {
    await reachRevision(source, revision);
    return undefined;
  } catch (reason) {
    if (reason instanceof ApiError) return reason;
    throw reason;
  }
}

function currentObjects({ cache }: WatchSource, { resource, selection }: WatchRequest): readonly CachedObject[] {
  const all = cache.resource(resource.storageId).objects(selection.namespace);
  return Array.from(all).filter((each) => selection.matches(each, (cached) => cache.parsed(cached)));
}

/** The initial objects in chunks, each encoded on demand. */
function* stateChunks(form: EventForm, state: readonly CachedObject[]): Generator<Uint8Array> {
  let lines: Uint8Array[] = [];
  let bytes = 0;
  for (const [index, each] of state.entries()) {
    const line = form.line("ADDED", each, each.revision);
    lines.push(line);
    bytes += line.length;
    if (index < state.length - 1 && lines.length < chunkCount && bytes < chunkBytes) continue;
    yield joinBytes(lines);
    lines = [];
    bytes = 0;
  }
}

/** The next events for a watch; undefined if some have left the window. Skips events up to the revision `from`. */
function chunkFrom(
  source: WatchSource,
  request: WatchRequest,
  { window, position, from }: { readonly window: WatchEventWindow; readonly position: number; readonly from: number },
): EventChunk | undefined {
  const id = sharedId(request);
  const known = id === undefined ? undefined : window.chunks.get(id);
  if (known?.position === position && known.firstRevision > from && known.count === newCount(window, position))
    return known;
  const events = window.eventsFrom(position, chunkCount);
  if (events === undefined) return undefined;
  const lines = events.flatMap((event) => (event.revision > from ? lineOf(source, request, event) : []));
  const chunk: EventChunk = {
    position,
    count: events.length,
    firstRevision: events[0]?.revision ?? 0,
    lastRevision: events.at(-1)?.revision ?? 0,
    bytes: lines.length === 0 ? undefined : joinBytes(lines),
  };
  if (id !== undefined && chunk.firstRevision > from) window.chunks.put(id, chunk);
  return chunk;
}

/** The number of events that a chunk from `position` has now. */
function newCount(window: WatchEventWindow, position: number): number {
  return Math.min(chunkCount, window.endPosition - position);
}

/**
 * Watches with the same id receive the same bytes. Undefined if a selector, a name or an unshared form makes the watch
 * unique.
 */
function sharedId({ form, selection }: WatchRequest): string | undefined {
  if (form.id === undefined || selection.hasSelectors || selection.name !== undefined) return undefined;
  return selection.namespace === undefined ? form.id : `${form.id} ${selection.namespace}`;
}

/** Encodes an event for this watch. An object that starts to match is ADDED; one that stops matching is DELETED. */
function lineOf({ cache }: WatchSource, { selection, form }: WatchRequest, event: CacheEvent): readonly Uint8Array[] {
  const { before, after, revision } = event;
  const parse = (cached: CachedObject): JsonObject => cache.parsed(cached);
  const was = before !== undefined && selection.matches(before, parse);
  const is = after !== undefined && selection.matches(after, parse);
  if (is) return [cachedLine(event, form, was ? "MODIFIED" : "ADDED", after, revision)];
  return was ? [cachedLine(event, form, "DELETED", before, revision)] : [];
}

function cachedLine(
  event: CacheEvent,
  form: EventForm,
  type: EventType,
  object: CachedObject,
  revision: number,
): Uint8Array {
  if (form.id === undefined) return form.line(type, object, revision);
  const id = `${type} ${form.id}`;
  let line = event.lines.get(id);
  if (line === undefined) {
    line = form.line(type, object, revision);
    event.lines.set(id, line);
  }
  return line;
}

/** The bookmark and timeout timers of a watch, and its wait for the next event. */
class Pace implements Disposable {
  readonly #source: WatchSource;
  readonly #wantsBookmarks: boolean;
  readonly #endMs: number;
  readonly #stops: (() => void)[];
  #bookmarkDueMs: number;
  #isWoken = false;
  #resolve: (() => void) | undefined;

  constructor(source: WatchSource, { resource, signal }: WatchRequest, options: ListOptions) {
    const { clock, random, cache } = source;
    this.#source = source;
    this.#wantsBookmarks = options.wantsBookmarks;
    const { timeoutSeconds = 0 } = options;
    this.#endMs = clock.nowMs() + (timeoutSeconds > 0 ? timeoutSeconds * 1000 : minTimeoutMs * (1 + random.next()));
    this.#bookmarkDueMs = this.#nextBookmarkMs();
    this.#stops = [
      cache.resource(resource.storageId).onEvents(() => this.#wake()),
      onAbort(signal, () => this.#wake()),
    ];
  }

  get isOver(): boolean {
    return this.#source.clock.nowMs() >= this.#endMs;
  }

  /** True from when a bookmark is due until a bookmark or an event is sent. */
  get isBookmarkTime(): boolean {
    return this.#wantsBookmarks && this.#source.clock.nowMs() >= this.#bookmarkDueMs;
  }

  /** True once each time a bookmark is due. Events carry a revision too, so they postpone it. */
  isBookmarkDue(hasEvents: boolean): boolean {
    if (!this.#wantsBookmarks) return false;
    if (!hasEvents && !this.isBookmarkTime) return false;
    this.#bookmarkDueMs = this.#nextBookmarkMs();
    return !hasEvents;
  }

  /** Resolves at the next event, at the next due time, or when the signal aborts. */
  async wait(): Promise<void> {
    if (!this.#isWoken) {
      const { clock } = this.#source;
      const dueMs = this.#wantsBookmarks ? Math.min(this.#bookmarkDueMs, this.#endMs) : this.#endMs;
      const cancel = clock.setTimer(Math.max(0, dueMs - clock.nowMs()), () => this.#wake());
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
      });
      cancel();
    }
    this.#isWoken = false;
    this.#resolve = undefined;
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }

  /**
   * Varied by 10% either way, so that watches opened together do not send bookmarks together. The last bookmark is due
   * two seconds before the end.
   */
  #nextBookmarkMs(): number {
    const nowMs = this.#source.clock.nowMs();
    const dueMs = nowMs + bookmarkMs * (0.9 + 0.2 * this.#source.random.next());
    const lastMs = this.#endMs - 2000;
    return nowMs < lastMs && dueMs > lastMs ? lastMs : dueMs;
  }

  #wake(): void {
    this.#isWoken = true;
    this.#resolve?.();
  }
}

function tooOld(asked: number, start: number): ApiError {
  return new ApiError(410, "Expired", `too old resource version: ${asked} (${start})`);
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
