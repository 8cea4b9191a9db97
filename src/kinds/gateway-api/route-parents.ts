// SPDX-License-Identifier: Apache-2.0
import type { Condition } from "../conditions.ts";
import { fieldOf, integerOf, listOf, textOf } from "../fields.ts";
import { partConditions } from "./condition-facts.ts";

/** One parent reference of a route. */
export interface RouteParent {
  /** The reference as written. */
  readonly reference: unknown;
  /** The conditions that the parent's controllers wrote for the route; empty until one has reported. */
  readonly conditions: readonly Condition[];
}

/**
 * The parents in the route's spec, in its order, each with its conditions. Conditions of parents that the spec no
 * longer names are left out.
 */
export function routeParentsOf(object: unknown): readonly RouteParent[] {
  const answers = new Map<string, Condition[]>();
  for (const each of listOf(object, "status", "parents")) {
    const key = parentText(object, fieldOf(each, "parentRef"));
    const answer = answers.get(key);
    if (answer === undefined) answers.set(key, [...partConditions(each)]);
    else for (const condition of partConditions(each)) answer.push(condition);
  }
  return listOf(object, "spec", "parentRefs").map((reference) => ({
    reference,
    conditions: answers.get(parentText(object, reference)) ?? [],
  }));
}

/** The identity of a parent, with the defaults that the API documents. */
function parentText(object: unknown, parent: unknown): string {
  return JSON.stringify([
    textOf(parent, "group") ?? "gateway.networking.k8s.io",
    textOf(parent, "kind") ?? "Gateway",
    textOf(parent, "namespace") ?? textOf(object, "metadata", "namespace"),
    textOf(parent, "name"),
    textOf(parent, "sectionName"),
    integerOf(parent, "port"),
  ]);
}
