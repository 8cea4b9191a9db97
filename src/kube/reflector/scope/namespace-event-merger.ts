// SPDX-License-Identifier: Apache-2.0
import type { ObjectIdentity } from "../../../kinds/object-identity.ts";
import type { ReflectorEvent, ReflectorSink } from "../../reflector-event.ts";

/** One namespace's part of a kind. It keeps the emitted names, to find deletions when the namespace is listed again. */
class Part {
  /** The uids of objects that were emitted and not deleted, by name. */
  readonly uids = new Map<string, string>();
  listing: Set<string> | undefined;
  isListed = false;
  hasFailed = false;
  isRefused = false;
  objectCount = 0;
  byteCount = 0;
}

/**
 * Joins the events of several reflectors of one kind, one per namespace, into one sequence (KU19). It emits `listing`
 * at the start and `listed` once no namespace is pending. A later list of one namespace, or the deletion of a
 * namespace, is emitted as deletes, which carry only metadata. It holds the names and uids of emitted objects. Events
 * are emitted one at a time across all namespaces (KU15).
 */
export class NamespaceEventMerger {
  readonly #sink: ReflectorSink;
  /**
   * After a complete list, a refused namespace must delay `listed`: missing objects would not prove a deletion (L4).
   */
  readonly #needsAll: boolean;
  readonly #parts = new Map<string, Part>();
  #isListed = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(sink: ReflectorSink, wasListedWhole: boolean) {
    this.#sink = sink;
    this.#needsAll = wasListedWhole;
  }

  /** Whether at least one namespace was listed. */
  get hasListedPart(): boolean {
    return [...this.#parts.values()].some(({ isListed }) => isListed);
  }

  /** Begins with these namespaces. More may be added at any time. */
  begin(namespaces: Iterable<string>): Promise<void> {
    for (const namespace of namespaces) this.#parts.set(namespace, new Part());
    return this.#inTurn(async () => {
      await this.#sink({ kind: "listing", byNamespace: true });
      await this.#checkListed();
    });
  }

  /** Adds a namespace. */
  add(namespace: string): void {
    if (!this.#parts.has(namespace)) this.#parts.set(namespace, new Part());
  }

  /** Removes a namespace that is proven deleted, with all its objects. */
  remove(namespace: string): Promise<void> {
    return this.#inTurn(async () => {
      const part = this.#parts.get(namespace);
      if (part === undefined) return;
      this.#parts.delete(namespace);
      await this.#emitDeleted(namespace, part, part.uids.keys());
      await this.#checkListed();
    });
  }

  /**
   * Marks a namespace in which the kind may not be listed. Its emitted objects stay. It does not delay `listed`, unless
   * the whole kind was listed before.
   */
  refuse(namespace: string): Promise<void> {
    return this.#inTurn(async () => {
      const part = this.#parts.get(namespace);
      if (part !== undefined) part.isRefused = true;
      await this.#checkListed();
    });
  }

  /** Emits an event that belongs to no namespace. */
  emit(event: ReflectorEvent): Promise<void> {
    return this.#inTurn(async () => this.#sink(event));
  }

  /** Receives an event of one namespace's reflector. */
  take(namespace: string, event: ReflectorEvent): Promise<void> {
    return this.#inTurn(async () => {
      const part = this.#parts.get(namespace);
      if (part !== undefined) await this.#takePart(namespace, part, event);
    });
  }

  async #takePart(namespace: string, part: Part, event: ReflectorEvent): Promise<void> {
    switch (event.kind) {
      case "listing":
        part.listing = new Set();
        return;
      case "object":
      case "deleted":
        keepName(part, event.kind, event.identity);
        break;
      case "listed":
        await this.#finishPart(namespace, part, event);
        return;
      case "current":
        part.hasFailed = false;
        if (!this.#isCurrent()) return;
        break;
      case "failed":
        part.hasFailed = true;
        break;
      default:
    }
    await this.#sink(event);
  }

  async #finishPart(namespace: string, part: Part, event: ReflectorEvent & { readonly kind: "listed" }): Promise<void> {
    const { listing } = part;
    part.listing = undefined;
    part.isListed = true;
    part.isRefused = false;
    part.objectCount = event.objectCount;
    part.byteCount = event.byteCount;
    if (listing !== undefined) {
      const gone = [...part.uids.keys()].filter((name) => !listing.has(name));
      await this.#emitDeleted(namespace, part, gone);
    }
    await this.#checkListed();
  }

  async #emitDeleted(namespace: string, part: Part, names: Iterable<string>): Promise<void> {
    for (const name of names) {
      const uid = part.uids.get(name) ?? "";
      part.uids.delete(name);
      const identity = { namespace, name, uid, resourceVersion: "" };
      await this.#sink({ kind: "deleted", object: { metadata: { name, namespace, uid } }, identity });
    }
  }

  /** If no namespace may be listed, the kind is refused, not empty. */
  async #checkListed(): Promise<void> {
    if (this.#isListed) return;
    const parts = [...this.#parts.values()];
    const isWaiting = parts.some(({ isListed, isRefused }) => !isListed && (this.#needsAll || !isRefused));
    if (isWaiting || (parts.length > 0 && !this.hasListedPart)) return;
    this.#isListed = true;
    const sum = (count: (part: Part) => number): number => parts.reduce((total, part) => total + count(part), 0);
    const [objectCount, byteCount] = [sum((part) => part.objectCount), sum((part) => part.byteCount)];
    await this.#sink({ kind: "listed", objectCount, byteCount });
  }

  /** The kind is current only if no namespace is behind. */
  #isCurrent(): boolean {
    const parts = [...this.#parts.values()].filter(({ isListed, isRefused }) => isListed || !isRefused);
    return this.#isListed && parts.every(({ isListed, hasFailed, isRefused }) => isListed && !hasFailed && !isRefused);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    // A failure rejects only its own call. Later calls still run.
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

function keepName(part: Part, kind: "object" | "deleted", { name, uid }: ObjectIdentity): void {
  if (kind === "object") {
    part.uids.set(name, uid);
    part.listing?.add(name);
  } else {
    part.uids.delete(name);
    part.listing?.delete(name);
  }
}
