// SPDX-License-Identifier: Apache-2.0
import type { ObjectIdentity } from "../../../kinds/object-identity.ts";
import type { KubeError } from "../../kube-error.ts";
import type { ReflectorEvent } from "../../reflector-event.ts";

/** The known namespaces of a cluster, shared by all kinds that are followed per namespace. */
export interface Namespaces {
  /**
   * Undefined until the first complete list. A removed name is proven deleted: by its deletion, or by a complete list
   * without it (L4).
   */
  readonly names: ReadonlySet<string> | undefined;
  /** The error of a refused list, while it is refused. */
  readonly refusal: KubeError | undefined;
  /** Calls back after each change. The returned function unsubscribes. */
  onChange(callback: () => void): () => void;
}

/** Maintains the namespaces from the events of their reflector. */
export class ListedNamespaces implements Namespaces {
  readonly #callbacks = new Set<() => void>();
  #names = new Set<string>();
  #listing: Set<string> | undefined;
  #isListed = false;
  #refusal: KubeError | undefined;

  get names(): ReadonlySet<string> | undefined {
    return this.#isListed ? this.#names : undefined;
  }

  get refusal(): KubeError | undefined {
    return this.#refusal;
  }

  onChange(callback: () => void): () => void {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  /** Receives an event of the namespaces' reflector. */
  take(event: ReflectorEvent): void {
    if (event.kind === "listing") this.#listing = new Set();
    else if (event.kind === "object" || event.kind === "deleted") this.#takeObject(event.kind, event.identity);
    else if (event.kind === "listed") this.#finishList();
    else if (event.kind === "failed" && event.error.fault === "forbidden") this.#refusal = event.error;
    else return;
    for (const callback of this.#callbacks) callback();
  }

  #takeObject(kind: "object" | "deleted", { name }: ObjectIdentity): void {
    for (const names of [this.#names, this.#listing]) {
      if (kind === "object") names?.add(name);
      else names?.delete(name);
    }
  }

  #finishList(): void {
    this.#names = this.#listing ?? this.#names;
    this.#listing = undefined;
    this.#isListed = true;
    this.#refusal = undefined;
  }
}
