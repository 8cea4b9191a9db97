// SPDX-License-Identifier: Apache-2.0
// The queue of first syncs (SE22): whole cluster states are large, so only a few are sent at once.

/** Default number of first syncs with credit at once. */
export const defaultFirstSyncCount = 8;

/** A session's new place in the queue; 0: it has its turn. */
export interface PlaceChange<Session> {
  readonly session: Session;
  readonly position: number;
}

/**
 * Sessions in order of arrival; the first `count` have their turn. `leave` returns the changed places, to be sent to
 * the agents.
 */
export class FirstSyncs<Session> {
  readonly #count: number;
  readonly #active = new Set<Session>();
  readonly #waiting = new Set<Session>();

  constructor(count: number) {
    this.#count = count;
  }

  /** The number of sessions with their turn, and of waiting ones. */
  get counts(): { readonly active: number; readonly waiting: number } {
    return { active: this.#active.size, waiting: this.#waiting.size };
  }

  isWaiting(session: Session): boolean {
    return this.#waiting.has(session);
  }

  /** Adds a session and returns its place; 0: its turn is now. */
  enter(session: Session): number {
    if (this.#active.size < this.#count) {
      this.#active.add(session);
      return 0;
    }
    this.#waiting.add(session);
    return this.#waiting.size;
  }

  /** Removes a session that is done or gone. The next ones move up. */
  leave(session: Session): readonly PlaceChange<Session>[] {
    const wasWaiting = this.#waiting.has(session);
    const before = [...this.#waiting];
    this.#waiting.delete(session);
    if (!this.#active.delete(session) && !wasWaiting) return [];
    const changes: PlaceChange<Session>[] = [];
    for (const next of this.#waiting) {
      if (this.#active.size >= this.#count) break;
      this.#waiting.delete(next);
      this.#active.add(next);
      changes.push({ session: next, position: 0 });
    }
    let position = 0;
    for (const next of this.#waiting) {
      position += 1;
      if (before[position - 1] !== next) changes.push({ session: next, position });
    }
    return changes;
  }
}
