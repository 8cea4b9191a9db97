// SPDX-License-Identifier: Apache-2.0
import type { CachedObject } from "./cached-object.ts";

/** One change of one object, as watches are told of it. */
export class CacheEvent {
  readonly revision: number;
  /** Undefined where the object was created by this change. */
  readonly before: CachedObject | undefined;
  /** Undefined where it was deleted. */
  readonly after: CachedObject | undefined;
  /** Lines made for watches, by form: each is encoded once, however many watches are told. */
  readonly lines = new Map<string, Uint8Array>();

  constructor(revision: number, before: CachedObject | undefined, after: CachedObject | undefined) {
    this.revision = revision;
    this.before = before;
    this.after = after;
  }

  /** What the event keeps alive, roughly: bodies and their lines. */
  get byteLength(): number {
    return 2 * ((this.before?.body.length ?? 0) + (this.after?.body.length ?? 0)) + 256;
  }
}

/** Some events that follow each other, as the bytes that a watch is sent. */
export interface EventChunk {
  readonly position: number;
  readonly count: number;
  /** Of the first and the last event; both 0 where there is none. */
  readonly firstRevision: number;
  readonly lastRevision: number;
  /** Undefined where none of the events concerns the watch. */
  readonly bytes: Uint8Array | undefined;
}

/** Chunks kept of one resource: one for each form and selection that is watched by many. More would only be thrown away less often. */
const keptChunkCount = 4;

/** The newest chunks, by form and selection: watches that keep pace are sent the same bytes, joined once. */
export class SharedChunks {
  readonly #byId = new Map<string, EventChunk>();

  get(id: string): EventChunk | undefined {
    return this.#byId.get(id);
  }

  put(id: string, chunk: EventChunk): void {
    this.#byId.delete(id);
    this.#byId.set(id, chunk);
    if (this.#byId.size <= keptChunkCount) return;
    const [oldest = ""] = this.#byId.keys();
    this.#byId.delete(oldest);
  }
}

/**
 * The newest changes of one resource, for watches to read at their own pace: a watch holds a position, never a buffer. A watch whose position has left the
 * window was too slow, and is ended: its client lists or resumes.
 */
export class WatchEventWindow {
  readonly chunks = new SharedChunks();
  readonly #limitBytes: number;
  #events: CacheEvent[] = [];
  /** Position of `#events[0]`: how many events came before it. */
  #firstPosition = 0;
  #bytes = 0;
  /** Changes up to this revision are not here, or not all of them. */
  #startRevision: number;

  constructor(startRevision: number, limitBytes: number) {
    this.#startRevision = startRevision;
    this.#limitBytes = limitBytes;
  }

  /** A watch can begin at this revision or later. */
  get startRevision(): number {
    return this.#startRevision;
  }

  /** The position after the newest event. */
  get endPosition(): number {
    return this.#firstPosition + this.#events.length;
  }

  append(event: CacheEvent): void {
    this.#events.push(event);
    this.#bytes += event.byteLength;
    this.#trim();
  }

  /** Position of the first event after `revision`, or undefined if some of those have left. */
  positionAfter(revision: number): number | undefined {
    if (revision < this.#startRevision) return undefined;
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return this.#firstPosition + low;
  }

  /** At most `count` events from `position` on, or undefined if some of those have left. */
  eventsFrom(position: number, count: number): readonly CacheEvent[] | undefined {
    if (position < this.#firstPosition) return undefined;
    const start = position - this.#firstPosition;
    return this.#events.slice(start, start + count);
  }

  #trim(): void {
    if (this.#bytes <= this.#limitBytes) return;
    // A quarter leaves at a time, so that the array is not cut for every event.
    let count = 0;
    while (this.#bytes > this.#limitBytes * 0.75 && count < this.#events.length - 1) {
      const leaving = this.#events[count];
      if (leaving === undefined) break;
      this.#bytes -= leaving.byteLength;
      this.#startRevision = leaving.revision;
      count += 1;
    }
    this.#events = this.#events.slice(count);
    this.#firstPosition += count;
  }
}
