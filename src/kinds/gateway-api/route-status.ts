// SPDX-License-Identifier: Apache-2.0
// Each parent's controller writes its own part of a route's status. The route's status combines them.
import { createStatusReport, type StatusReport } from "../../model/status.ts";
import { findCondition, statusFrom } from "../conditions.ts";
import { listOf } from "../fields.ts";
import type { Projected } from "../kind.ts";
import { conditionFacts } from "./condition-facts.ts";
import type { RouteParent } from "./route-parents.ts";

/**
 * The status of a route:
 * - refused by all parents: `unhealthy`; by some: `degraded`;
 * - backends that do not resolve: `degraded`;
 * - a parent that has not reported: `progressing`;
 * - no parents: `unknown`, because no controller reports on it.
 */
export function routeStatus(object: unknown, parents: readonly RouteParent[]): Pick<Projected, "status" | "reconcile"> {
  if (parents.length === 0) return { status: createStatusReport("unknown", "NoParent", "the route has no parentRefs") };
  const reported = listOf(object, "status", "parents").map((status) => ({ status }));
  return { status: verdictOf(parents), reconcile: conditionFacts(object, reported) };
}

function verdictOf(parents: readonly RouteParent[]): StatusReport {
  const accepted = parents.map(({ conditions }) => findCondition(conditions, "Accepted"));
  const refused = accepted.filter((each) => each?.status === "False");
  const [firstRefused] = refused;
  if (firstRefused !== undefined)
    return statusFrom(refused.length === parents.length ? "unhealthy" : "degraded", firstRefused);
  const unresolved = parents
    .map(({ conditions }) => findCondition(conditions, "ResolvedRefs"))
    .find((each) => each?.status === "False");
  if (unresolved !== undefined) return statusFrom("degraded", unresolved);
  const waiting = accepted.findIndex((each) => each?.status !== "True");
  if (waiting === -1) return createStatusReport("healthy", "Accepted");
  const asked = accepted[waiting];
  return asked === undefined
    ? createStatusReport("progressing", "ParentPending", "a parent has not reported yet")
    : statusFrom("progressing", asked);
}
