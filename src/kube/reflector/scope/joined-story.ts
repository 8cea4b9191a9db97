// SPDX-License-Identifier: Apache-2.0
import type { ObjectIdentity } from "../../../kinds/object-identity.ts";
import type { ReflectorEvent, ReflectorSink } from "../../reflector-event.ts";

/** One namespace's share of a kind: what was told of it, so that its own lists can tell what is gone. */
class Part {
  /** Names told and not deleted since, with their uid. */
  readonly uids = new Map<string, string>();
  listing: Set<string> | undefined;
  isListed = false;
  hasFailed = false;
  isRefused = false;
  objectCount = 0;
  byteCount = 0;
}

/**
 * Makes one story of those of several reflectors of one kind, one for each namespace (KU19). The kind is `listing` from the start and `listed` once
 * all its namespaces are; a list of one namespace after that, or a namespace proven gone, is told by the deletes it amounts to, which carry
 * metadata alone. Holds the names and uids of what it told. One event at a time goes out, whoever it comes from (KU15).
 */
export class JoinedStory {
  readonly #sink: ReflectorSink;
  /** What was listed as a whole before may be missing only because a namespace is refused now, which proves nothing (L4). */
  readonly #needsAll: boolean;
  readonly #parts = new Map<string, Part>();
  #isListed = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(sink: ReflectorSink, wasListedWhole: boolean) {
    this.#sink = sink;
    this.#needsAll = wasListedWhole;
  }

  /** True once any namespace was listed. */
  get hasListedPart(): boolean {
    return [...this.#parts.values()].some(({ isListed }) => isListed);
  }

  /** The story begins with these namespaces; more may come before it is complete and after. */
  begin(namespaces: Iterable<string>): Promise<void> {
    for (const namespace of namespaces) this.#parts.set(namespace, new Part());
    return this.#inTurn(async () => {
      await this.#sink({ kind: "listing" });
      await this.#checkListed();
    });
  }

  /** A namespace that came later. */
  add(namespace: string): void {
    if (!this.#parts.has(namespace)) this.#parts.set(namespace, new Part());
  }

  /** A namespace that is proven gone, and everything in it. */
  remove(namespace: string): Promise<void> {
    return this.#inTurn(async () => {
      const part = this.#parts.get(namespace);
      if (part === undefined) return;
      this.#parts.delete(namespace);
      await this.#tellGone(namespace, part, part.uids.keys());
      await this.#checkListed();
    });
  }

  /** A namespace in which the kind may not be listed; what was told of it stays, and it does not hold up the others. */
  refuse(namespace: string): Promise<void> {
    return this.#inTurn(async () => {
      const part = this.#parts.get(namespace);
      if (part !== undefined) part.isRefused = true;
      await this.#checkListed();
    });
  }

  /** Tells an event of no namespace. */
  tell(event: ReflectorEvent): Promise<void> {
    return this.#inTurn(async () => this.#sink(event));
  }

  /** Takes what the reflector of one namespace tells. */
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
      await this.#tellGone(namespace, part, gone);
    }
    await this.#checkListed();
  }

  async #tellGone(namespace: string, part: Part, names: Iterable<string>): Promise<void> {
    for (const name of names) {
      const uid = part.uids.get(name) ?? "";
      part.uids.delete(name);
      const identity = { namespace, name, uid, resourceVersion: "" };
      await this.#sink({ kind: "deleted", object: { metadata: { name, namespace, uid } }, identity });
    }
  }

  /** Where not one namespace may be listed the kind is refused, not empty. */
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

  /** One namespace's sign of life says nothing of the kind while another is behind. */
  #isCurrent(): boolean {
    const parts = [...this.#parts.values()].filter(({ isListed, isRefused }) => isListed || !isRefused);
    return this.#isListed && parts.every(({ isListed, hasFailed, isRefused }) => isListed && !hasFailed && !isRefused);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    // A failure goes to the one whose turn it was; the next one's turn comes all the same.
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
