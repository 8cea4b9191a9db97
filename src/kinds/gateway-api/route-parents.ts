// SPDX-License-Identifier: Apache-2.0
import type { Condition } from "../conditions.ts";
import { fieldOf, integerOf, listOf, textOf } from "../fields.ts";
import { partConditions } from "./condition-facts.ts";

/** One parent that a route asks for. */
export interface RouteParent {
  /** The reference as written. */
  readonly reference: unknown;
  /** What the parent's controllers wrote for it; none while it has not answered. */
  readonly conditions: readonly Condition[];
}

/** The parents that the route asks for, in its order, each with its answer. Answers for parents that are no longer asked for are left out. */
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

/** Everything that tells one parent from another, the defaults filled in as the API documents them. */
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
