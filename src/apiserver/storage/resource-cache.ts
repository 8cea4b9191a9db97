// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import { compareUtf8 } from "../../model/text.ts";
import type { CachedObject } from "./cached-object.ts";
import { CacheEvent, WatchEventWindow } from "./watch-event-window.ts";
import { WatchNotifier } from "./watch-notifier.ts";

/** The objects of one namespace. Their names are sorted on first use. */
class NamespaceObjects {
  readonly objects = new Map<string, CachedObject>();
  #names: readonly string[] | undefined;

  get names(): readonly string[] {
    this.#names ??= [...this.objects.keys()].sort(compareUtf8);
    return this.#names;
  }

  put(object: CachedObject): void {
    if (!this.objects.has(object.name)) this.#names = undefined;
    this.objects.set(object.name, object);
  }

  delete(name: string): void {
    this.objects.delete(name);
    this.#names = undefined;
  }
}

/** The current objects of one resource and their latest changes. */
export class ResourceCache {
  readonly window: WatchEventWindow;
  readonly #namespaces = new Map<string, NamespaceObjects>();
  #namespaceNames: readonly string[] | undefined;
  #count = 0;
  readonly #notifier: WatchNotifier;

  /** With a clock, notifications of many watches are paced. */
  constructor(startRevision: number, windowBytes: number, clock?: Clock) {
    this.window = new WatchEventWindow(startRevision, windowBytes);
    this.#notifier = new WatchNotifier(clock);
  }

  get count(): number {
    return this.#count;
  }

  countIn(namespace: string): number {
    return this.#namespaces.get(namespace)?.objects.size ?? 0;
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.#namespaces.get(namespace)?.objects.get(name);
  }

  /** Objects in key order, of one namespace or of all, after the key `after`. */
  *objects(
    namespace: string | undefined,
    after?: { readonly namespace: string; readonly name: string },
  ): Generator<CachedObject> {
    const namespaces = namespace === undefined ? this.#sortedNamespaces() : [namespace];
    for (const each of namespaces) {
      if (after !== undefined && compareUtf8(each, after.namespace) < 0) continue;
      const found = this.#namespaces.get(each);
      if (found === undefined) continue;
      for (const name of found.names) {
        if (after !== undefined && each === after.namespace && compareUtf8(name, after.name) <= 0) continue;
        const object = found.objects.get(name);
        if (object !== undefined) yield object;
      }
    }
  }

  /** Stores an object without an event: for the initial load. */
  load(object: CachedObject): void {
    this.#put(object);
  }

  /** Applies a change and returns its event. Call `wake` after all changes of a batch. */
  apply(
    revision: number,
    key: { readonly namespace: string; readonly name: string },
    after: CachedObject | undefined,
  ): CacheEvent {
    const event = new CacheEvent(revision, this.get(key.namespace, key.name), after);
    if (after !== undefined) this.#put(after);
    else this.#delete(key.namespace, key.name);
    this.window.append(event);
    return event;
  }

  /** Calls `waker` when there are new events, until the returned function is called. */
  onEvents(waker: () => void): () => void {
    return this.#notifier.onNotify(waker);
  }

  wake(): void {
    this.#notifier.notify();
  }

  #sortedNamespaces(): readonly string[] {
    this.#namespaceNames ??= [...this.#namespaces.keys()].sort(compareUtf8);
    return this.#namespaceNames;
  }

  #put(object: CachedObject): void {
    let found = this.#namespaces.get(object.namespace);
    if (found === undefined) {
      found = new NamespaceObjects();
      this.#namespaces.set(object.namespace, found);
      this.#namespaceNames = undefined;
    }
    if (!found.objects.has(object.name)) this.#count += 1;
    found.put(object);
  }

  #delete(namespace: string, name: string): void {
    const found = this.#namespaces.get(namespace);
    if (found?.objects.has(name) !== true) return;
    this.#count -= 1;
    found.delete(name);
    if (found.objects.size > 0) return;
    this.#namespaces.delete(namespace);
    this.#namespaceNames = undefined;
  }
}
