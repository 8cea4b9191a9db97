// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { KindCoverage } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { quote } from "../../model/text.ts";
import { toKinds } from "./cluster-message.ts";
import type { FleetParts } from "./fleet-parts.ts";

/**
 * The text of a resource id, of a kind that is named by that text (`apps/deployments`), its plural alone or its own name (`Deployment`), whatever the case. Throws NOT_FOUND for one
 * that the hub has never heard of in that cluster, UNAVAILABLE where it has heard of none, INVALID_ARGUMENT where several are meant.
 */
export function findKind(parts: FleetParts, cluster: string, wanted: string): string {
  return findKindAmong(toKinds(parts, cluster), cluster, wanted);
}

/** The same among these kinds. */
export function findKindAmong(
  kinds: readonly Pick<KindCoverage, "resource" | "kind">[],
  cluster: string,
  wanted: string,
): string {
  if (kinds.length === 0) {
    throw new FlotillaError(
      "UNAVAILABLE",
      `the agent of ${cluster} has not said yet which kinds it follows; try again when it is live`,
    );
  }
  const lower = wanted.toLowerCase();
  const exact = kinds.find(({ resource }) => resource === lower);
  if (exact !== undefined) return exact.resource;
  // Kinds whose own name is not known have "" for it, which names none.
  const isMeant = (text: string): boolean => text !== "" && text.toLowerCase() === lower;
  const meant = kinds.filter(
    ({ resource, kind }) => isMeant(kind) || isMeant(resource.slice(resource.indexOf("/") + 1)),
  );
  const [only, ...others] = meant.map(({ resource }) => resource);
  if (only === undefined) {
    throw new FlotillaError(
      "NOT_FOUND",
      `${cluster} has no kind ${quote(wanted)} that its agent follows; \`flotilla cluster get ${cluster}\` lists those it does`,
    );
  }
  if (others.length > 0) {
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `${quote(wanted)} may be ${[only, ...others].join(" or ")}; write which`,
    );
  }
  return only;
}
