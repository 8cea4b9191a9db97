// SPDX-License-Identifier: Apache-2.0
import type { CachedObject } from "./cached-object.ts";

/** One change of one object, as watches receive it. */
export class CacheEvent {
  readonly revision: number;
  /** Undefined if this change created the object. */
  readonly before: CachedObject | undefined;
  /** Undefined if this change deleted the object. */
  readonly after: CachedObject | undefined;
  /** Encoded lines by type and form: each is encoded once for all watches. */
  readonly lines = new Map<string, Uint8Array>();

  constructor(revision: number, before: CachedObject | undefined, after: CachedObject | undefined) {
    this.revision = revision;
    this.before = before;
    this.after = after;
  }

  /** An estimate of the memory that the event holds: bodies and their lines. */
  get byteLength(): number {
    return 2 * ((this.before?.body.length ?? 0) + (this.after?.body.length ?? 0)) + 256;
  }
}

/** Consecutive events, encoded as the bytes for a watch. */
export interface EventChunk {
  readonly position: number;
  readonly count: number;
  /** Revisions of the first and the last event; both 0 without events. */
  readonly firstRevision: number;
  readonly lastRevision: number;
  /** Undefined if no event matches the watch. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Chunks kept for one resource: one for each form and selection that many watches share. An evicted chunk is encoded
 * again when needed.
 */
const keptChunkCount = 4;

/** The newest chunk of each form and selection. Watches at the same position share its bytes. */
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
 * The newest changes of one resource. A watch holds a position in the window and no buffer of its own. A watch whose
 * position has left the window is ended; its client resumes or lists again.
 */
export class WatchEventWindow {
  readonly chunks = new SharedChunks();
  readonly #limitBytes: number;
  #events: CacheEvent[] = [];
  /** Position of `#events[0]`: the number of events before it. */
  #firstPosition = 0;
  #bytes = 0;
  /** Events up to this revision may be missing. */
  #startRevision: number;

  constructor(startRevision: number, limitBytes: number) {
    this.#startRevision = startRevision;
    this.#limitBytes = limitBytes;
  }

  /** The lowest revision from which a watch can start. */
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

  /** Position of the first event after `revision`; undefined if events after it have left the window. */
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

  /** At most `count` events from `position`; undefined if the position has left the window. */
  eventsFrom(position: number, count: number): readonly CacheEvent[] | undefined {
    if (position < this.#firstPosition) return undefined;
    const start = position - this.#firstPosition;
    return this.#events.slice(start, start + count);
  }

  #trim(): void {
    if (this.#bytes <= this.#limitBytes) return;
    // A quarter is removed at a time, so that most appends do not copy the array.
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
