// SPDX-License-Identifier: Apache-2.0
import type { Link, ViewRefusal, ViewUpdate, ViewWish } from "../link/link.ts";

/** What a view shows: nothing yet, a value, or why there is none. A value stays through every loss of the link (PG18). */
export type Shown<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "shown"; readonly value: T }
  | { readonly kind: "refused"; readonly refusal: ViewRefusal };

/** How a view's updates become what is shown. */
export interface ViewFold<T> {
  readonly empty: T;
  /** Returns a new value; the old one stays as it was. Called with `empty` for a snapshot. */
  readonly fold: (value: T, bytes: Uint8Array) => T;
}

export interface ViewStoreOptions<T> {
  readonly link: Link;
  readonly wish: ViewWish;
  readonly fold: ViewFold<T>;
  /** Calls back once after that time unless the returned function is called before. */
  readonly setTimer: (ms: number, callback: () => void) => () => void;
}

/** Two renders a second come from the stream (PG20). */
const paceMs = 500;

/** One view's newest value, for `useSyncExternalStore`. Subscribed to the hub while somebody listens. */
export class ViewStore<T> {
  readonly #options: ViewStoreOptions<T>;
  readonly #listeners = new Set<() => void>();
  #newest: Shown<T> = { kind: "loading" };
  #told: Shown<T> = { kind: "loading" };
  #close = (): void => undefined;
  #cancelPace: (() => void) | undefined;

  constructor(options: ViewStoreOptions<T>) {
    this.#options = options;
  }

  readonly getShown = (): Shown<T> => this.#told;

  readonly listen = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0) this.#open();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#leave();
    };
  };

  #open(): void {
    const { link, wish } = this.#options;
    this.#close = link.subscribe(wish, {
      update: (update) => this.#take(update),
      refused: (refusal) => this.#show({ kind: "refused", refusal }),
    });
  }

  /** What was shown stays for whoever comes next; their subscription begins with a snapshot that replaces it. */
  #leave(): void {
    this.#close();
    this.#cancelPace?.();
    this.#cancelPace = undefined;
  }

  #take({ bytes, isSnapshot }: ViewUpdate): void {
    const { fold, empty } = this.#options.fold;
    const before = isSnapshot || this.#newest.kind !== "shown" ? empty : this.#newest.value;
    this.#show({ kind: "shown", value: fold(before, bytes) });
  }

  #show(shown: Shown<T>): void {
    this.#newest = shown;
    if (this.#cancelPace !== undefined) return;
    this.#tell();
    this.#pace();
  }

  #pace(): void {
    this.#cancelPace = this.#options.setTimer(paceMs, () => {
      this.#cancelPace = undefined;
      if (this.#told === this.#newest) return;
      this.#tell();
      this.#pace();
    });
  }

  #tell(): void {
    this.#told = this.#newest;
    for (const listener of this.#listeners) listener();
  }
}
