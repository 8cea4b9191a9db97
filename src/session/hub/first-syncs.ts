// SPDX-License-Identifier: Apache-2.0
// The line of first syncs (SE22): whole states of clusters are large, so only a few travel at once.

/** First syncs with credit at once, unless set. */
export const defaultFirstSyncCount = 8;

/** A change of somebody's place: 0 = it has its turn. */
export interface PlaceChange<Session> {
  readonly session: Session;
  readonly position: number;
}

/** Sessions in order of arrival, of which the first `count` have their turn. Every change answers whose place changed, to be told. */
export class FirstSyncs<Session> {
  readonly #count: number;
  readonly #active = new Set<Session>();
  readonly #waiting = new Set<Session>();

  constructor(count: number) {
    this.#count = count;
  }

  /** How many have their turn and how many wait. */
  get counts(): { readonly active: number; readonly waiting: number } {
    return { active: this.#active.size, waiting: this.#waiting.size };
  }

  isWaiting(session: Session): boolean {
    return this.#waiting.has(session);
  }

  /** Joins the line; answers its place, 0 = at once. */
  enter(session: Session): number {
    if (this.#active.size < this.#count) {
      this.#active.add(session);
      return 0;
    }
    this.#waiting.add(session);
    return this.#waiting.size;
  }

  /** Done, or gone: the next ones move up. */
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
