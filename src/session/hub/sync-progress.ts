// SPDX-License-Identifier: Apache-2.0
import { rbacResources } from "../../model/rbac-resources.ts";
import type { KindFacts } from "./parsed-request.ts";

/** How far a session has proven that the hub holds what its cluster has. Begins anew with every session. */
export class SyncProgress {
  readonly #kinds = new Map<string, KindFacts>();
  readonly #complete = new Set<string>();
  readonly #equal = new Set<string>();

  /** Kinds whose list the agent has completed in this incarnation: only they may replace what the hub holds (SE26). */
  get complete(): ReadonlySet<string> {
    return this.#complete;
  }

  /** Every kind that is complete was proven equal, and no first list is under way. */
  get isCaughtUp(): boolean {
    if (this.#kinds.size === 0) return false;
    for (const { state } of this.#kinds.values()) if (state === "listing") return false;
    return this.#complete.isSubsetOf(this.#equal);
  }

  /** The rows of all four RBAC kinds are complete and proven equal. */
  get areGrantsProven(): boolean {
    return rbacResources.every((resource) => this.#complete.has(resource) && this.#equal.has(resource));
  }

  /** Takes over what the agent says of its kinds. */
  report(kinds: readonly KindFacts[]): void {
    for (const kind of kinds) {
      this.#kinds.set(kind.resource, kind);
      if (kind.isComplete) this.#complete.add(kind.resource);
      else this.#complete.delete(kind.resource);
    }
  }

  /** Takes over what a comparison showed. A kind that differs is being mended, and has to be proven again. */
  compared({ equal, differing }: { readonly equal: readonly string[]; readonly differing: readonly string[] }): void {
    for (const resource of differing) this.#equal.delete(resource);
    for (const resource of equal) this.#equal.add(resource);
  }
}
