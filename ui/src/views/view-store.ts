// SPDX-License-Identifier: Apache-2.0
import type { Link, LinkUpdate, ViewRefusal, ViewRequest } from "../link/link.ts";

/** The state of a view: loading, a value, or a refusal. A value stays while the link is lost (PG18). */
export type Shown<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "shown"; readonly value: T }
  | { readonly kind: "refused"; readonly refusal: ViewRefusal };

/** Applies a view's updates to its value. */
export interface ViewFold<T> {
  readonly empty: T;
  /** Returns a new value and leaves the old one unchanged. Called with `empty` for a snapshot. */
  readonly fold: (value: T, bytes: Uint8Array) => T;
}

export interface ViewStoreOptions<T> {
  readonly link: Link;
  readonly request: ViewRequest;
  readonly fold: ViewFold<T>;
  /** Calls `callback` once after `ms`, unless the returned function is called before. */
  readonly setTimer: (ms: number, callback: () => void) => () => void;
}

/** At most two renders a second are caused by the stream (PG20). */
const paceMs = 500;

/** One view's newest value, for `useSyncExternalStore`. Subscribed to the hub while it has listeners. */
export class ViewStore<T> {
  readonly #options: ViewStoreOptions<T>;
  readonly #listeners = new Set<() => void>();
  #newest: Shown<T> = { kind: "loading" };
  #published: Shown<T> = { kind: "loading" };
  #close = (): void => undefined;
  #cancelPace: (() => void) | undefined;

  constructor(options: ViewStoreOptions<T>) {
    this.#options = options;
  }

  readonly getShown = (): Shown<T> => this.#published;

  readonly listen = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0) this.#open();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#leave();
    };
  };

  #open(): void {
    const { link, request } = this.#options;
    this.#close = link.subscribe(request, {
      update: (update) => this.#take(update),
      refused: (refusal) => this.#show({ kind: "refused", refusal }),
    });
  }

  /** The value stays for the next listener; its subscription begins with a snapshot that replaces it. */
  #leave(): void {
    this.#close();
    this.#cancelPace?.();
    this.#cancelPace = undefined;
  }

  #take({ bytes, isSnapshot }: LinkUpdate): void {
    const { fold, empty } = this.#options.fold;
    const before = isSnapshot || this.#newest.kind !== "shown" ? empty : this.#newest.value;
    this.#show({ kind: "shown", value: fold(before, bytes) });
  }

  #show(shown: Shown<T>): void {
    this.#newest = shown;
    if (this.#cancelPace !== undefined) return;
    this.#publish();
    this.#pace();
  }

  #pace(): void {
    this.#cancelPace = this.#options.setTimer(paceMs, () => {
      this.#cancelPace = undefined;
      if (this.#published === this.#newest) return;
      this.#publish();
      this.#pace();
    });
  }

  #publish(): void {
    this.#published = this.#newest;
    for (const listener of this.#listeners) listener();
  }
}
