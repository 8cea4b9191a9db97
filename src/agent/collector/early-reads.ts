// SPDX-License-Identifier: Apache-2.0
// Reads of single objects of one kind ahead of its watch (SE67): whether an answer may still be passed on, as the watch
// would have passed it.
import { identityOf, objectKeyText } from "../../kinds/object-identity.ts";
import type { ReflectorEvent } from "../../kube/reflector-event.ts";
import type { RowKey } from "../../session/agent/kind-entry.ts";
import type { KindRows } from "../../session/agent/kind-rows.ts";
import type { HintResult } from "../../session/hints/hint.ts";

/** One read, from before its request until disposal. */
export interface EarlyRead extends Disposable {
  /** Passes the object on as an event of the watch, unless a list or an event of the object came since the beginning. */
  deliver(object: unknown): Exclude<HintResult, "notFound">;
}

/** The reads under way of one kind that is followed. */
export class EarlyReads {
  readonly #rows: Pick<KindRows, "get">;
  readonly #emit: (event: ReflectorEvent) => void;
  /** The reads under way that are not overtaken, by object. */
  readonly #current = new Map<string, Set<EarlyRead>>();
  /** A list was completed and none runs: a later delete of any object is an event of the watch or a list. */
  #isListed = false;
  #isByNamespace = false;

  /** `emit` passes an event to the kind's handlers and to `note`. */
  constructor(rows: Pick<KindRows, "get">, emit: (event: ReflectorEvent) => void) {
    this.#rows = rows;
    this.#emit = emit;
  }

  /** Follows the events of the kind. Must be called with each. */
  note(event: ReflectorEvent): void {
    switch (event.kind) {
      case "listing":
        this.#isListed = false;
        this.#isByNamespace = event.byNamespace ?? false;
        this.#current.clear();
        return;
      case "listed":
        this.#isListed = true;
        return;
      case "object":
      case "deleted":
        this.#current.delete(objectKeyText(event.identity));
        return;
      default:
    }
  }

  /** Begins a read; undefined while a list runs or before the first: the row then depends on the list alone. */
  begin(key: RowKey): EarlyRead | undefined {
    if (!this.#isListed) return undefined;
    const text = objectKeyText(key);
    const reads = this.#current.getOrInsertComputed(text, () => new Set());
    const read: EarlyRead = {
      deliver: (object) =>
        reads.has(read) && this.#current.get(text) === reads ? this.#deliver(key, object) : "leftToWatch",
      [Symbol.dispose]: () => {
        reads.delete(read);
        if (reads.size === 0 && this.#current.get(text) === reads) this.#current.delete(text);
      },
    };
    reads.add(read);
    return read;
  }

  /** The kind is no longer followed: nothing is passed on. */
  close(): void {
    this.#isListed = false;
    this.#current.clear();
  }

  #deliver(key: RowKey, object: unknown): Exclude<HintResult, "notFound"> {
    const identity = identityOf(object);
    const before = this.#rows.get(key);
    const isKnown = before !== undefined && before.uid === identity.uid;
    if (isKnown && before.resourceVersion === identity.resourceVersion) return "unchanged";
    // The list of one namespace does not delete an object that neither list nor watch has delivered.
    if (this.#isByNamespace && !isKnown) return "leftToWatch";
    this.#emit({ kind: "object", object, identity });
    return this.#rows.get(key)?.rowHash === before?.rowHash ? "unchanged" : "refreshed";
  }
}
