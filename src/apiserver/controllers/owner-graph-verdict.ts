// SPDX-License-Identifier: Apache-2.0
import type { Propagation } from "../request/delete-options.ts";
import type { OwnerReference } from "./owner-graph.ts";

/**
 * What became of an owner. `present`: it is there; `waiting`: there, and deleted in the foreground; `absent`: no such object, or one with another uid, or one
 * in another namespace; `unserved`: nobody knows its kind, so nobody knows whether it is there; `misplaced`: it lives in a namespace, and the dependent
 * in none.
 */
export type OwnerState = "present" | "waiting" | "absent" | "unserved" | "misplaced";

/** What is to be done with an object that has owners. */
export type Verdict =
  | { readonly kind: "keep" }
  /** A kind may be served later: look again then. */
  | { readonly kind: "unknown" }
  /** One owner is enough to live; references to these are void. */
  | { readonly kind: "release"; readonly uids: ReadonlySet<string> }
  | { readonly kind: "delete"; readonly propagation: Propagation };

/** What the object itself says. */
export interface JudgedDependent {
  readonly hasDependents: boolean;
  /** The propagation that its own finalizers ask for. */
  readonly wished: Propagation | undefined;
}

/** Decides on an object that is not being deleted. It goes when it has owners and none of them is there to stay. */
export function judgeDependent(
  owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[],
  { hasDependents, wished }: JudgedDependent,
): Verdict {
  const states = new Set(owners.map(({ state }) => state));
  if (owners.length === 0 || states.has("misplaced")) return { kind: "keep" };
  if (states.has("unserved")) return { kind: "unknown" };
  if (states.has("present")) {
    if (states.size === 1) return { kind: "keep" };
    const stale = owners.filter(({ state }) => state !== "present").map(({ reference }) => reference.uid);
    return { kind: "release", uids: new Set(stale) };
  }
  // An owner that waits is to see the dependents of its dependents go first.
  if (states.has("waiting") && hasDependents) return { kind: "delete", propagation: "Foreground" };
  return { kind: "delete", propagation: wished ?? "Background" };
}
