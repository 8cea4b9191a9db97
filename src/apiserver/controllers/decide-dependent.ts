// SPDX-License-Identifier: Apache-2.0
import type { Propagation } from "../request/delete-options.ts";
import type { OwnerReference } from "./owner-graph.ts";

/**
 * The state of an owner.
 * - `present`: it exists.
 * - `waiting`: it exists and is being deleted in the foreground.
 * - `absent`: it does not exist, has another uid or is in another namespace.
 * - `unserved`: its kind is not served, so its existence is unknown.
 * - `misplaced`: it is namespaced and the dependent is cluster-wide.
 */
export type OwnerState = "present" | "waiting" | "absent" | "unserved" | "misplaced";

/** The decision on an object with owners. */
export type DependentDecision =
  | { readonly kind: "keep" }
  /** A kind may be served later: decide again then. */
  | { readonly kind: "unknown" }
  /** At least one owner is present; references to these uids are removed. */
  | { readonly kind: "release"; readonly uids: ReadonlySet<string> }
  | { readonly kind: "delete"; readonly propagation: Propagation };

/** Facts about the object itself. */
export interface DependentState {
  readonly hasDependents: boolean;
  /** The propagation policy in the object's own finalizers. */
  readonly propagation: Propagation | undefined;
}

/** Decides on an object that is not being deleted. It is deleted if it has owners and none of them is present. */
export function decideDependent(
  owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[],
  { hasDependents, propagation }: DependentState,
): DependentDecision {
  const states = new Set(owners.map(({ state }) => state));
  if (owners.length === 0 || states.has("misplaced")) return { kind: "keep" };
  if (states.has("unserved")) return { kind: "unknown" };
  if (states.has("present")) {
    if (states.size === 1) return { kind: "keep" };
    const stale = owners.filter(({ state }) => state !== "present").map(({ reference }) => reference.uid);
    return { kind: "release", uids: new Set(stale) };
  }
  // An owner deleted in the foreground waits for the dependents of its dependents too.
  if (states.has("waiting") && hasDependents) return { kind: "delete", propagation: "Foreground" };
  return { kind: "delete", propagation: propagation ?? "Background" };
}
