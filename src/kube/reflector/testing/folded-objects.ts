// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../../base/assert.ts";
import type { ObjectIdentity } from "../../../kinds/object-identity.ts";
import type { ReflectorEvent } from "../../reflector-event.ts";

/** A receiver by the book: what it holds follows from the events alone (KU12). */
export class FoldedObjects {
  readonly #objects = new Map<string, string>();
  #listing: Set<string> | undefined;
  listedCount = 0;

  /** `namespace/name` to resourceVersion. */
  get objects(): ReadonlyMap<string, string> {
    return this.#objects;
  }

  readonly take = (event: ReflectorEvent): void => {
    if (event.kind === "listing") this.#listing = new Set();
    else if (event.kind === "object" || event.kind === "deleted") this.#takeObject(event.kind, event.identity);
    else if (event.kind === "listed") this.#finishList();
  };

  #takeObject(kind: "object" | "deleted", { namespace, name, resourceVersion }: ObjectIdentity): void {
    const key = `${namespace}/${name}`;
    assert(name !== "", "an object came without a name");
    if (kind === "object") {
      this.#objects.set(key, resourceVersion);
      this.#listing?.add(key);
    } else {
      this.#objects.delete(key);
      this.#listing?.delete(key);
    }
  }

  #finishList(): void {
    const listing = this.#listing;
    assert(listing !== undefined, "a list was completed that never began");
    for (const key of this.#objects.keys()) if (!listing.has(key)) this.#objects.delete(key);
    this.#listing = undefined;
    this.listedCount += 1;
  }
}
