// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { findNearest } from "../../base/nearest.ts";
import { type KindNames, matchKinds } from "../../kinds/match-kind.ts";
import { quote } from "../../model/text.ts";
import { kindNames } from "./cluster-message.ts";
import type { FleetParts } from "./fleet-parts.ts";
import { listKindNames, withDefinedNames } from "./kind-names.ts";

/**
 * The text of the resource id of a kind of one cluster, by any name that kubectl takes (CL3). Throws NOT_FOUND for one that the hub does
 * not know in that cluster, UNAVAILABLE where it knows none yet, INVALID_ARGUMENT where several are meant.
 */
export function findKind(parts: FleetParts, cluster: string, wanted: string): string {
  const kinds = listKindNames(parts, [cluster]);
  const isShort = matchKinds(kinds, wanted).length === 0;
  return findKindAmong(isShort ? withDefinedNames(parts.fleet.picture, [cluster], kinds) : kinds, cluster, wanted);
}

/** The same among these kinds. */
export function findKindAmong(kinds: readonly KindNames[], cluster: string, wanted: string): string {
  if (kinds.length === 0) {
    throw new FlotillaError(
      "UNAVAILABLE",
      `the agent of ${cluster} has not said yet which kinds it follows; try again when it is live`,
    );
  }
  return (
    chooseKind(kinds, wanted) ??
    notFound(
      `${cluster} has no kind ${quote(wanted)} that its agent follows`,
      nearestKind(kinds, wanted) ?? `\`flotilla cluster get ${cluster}\` lists those it does`,
    )
  );
}

/**
 * The same in any of these clusters. Built-in kinds are known also where no cluster has them. While rows are being loaded after a start,
 * a kind that is not known yet is UNAVAILABLE.
 */
export function findFleetKind(parts: FleetParts, clusters: readonly string[], wanted: string): string {
  const known = listKindNames(parts, clusters);
  const names = new Set(known.map(({ resource }) => resource));
  const builtIn = [...kindNames].filter(([resource]) => !names.has(resource));
  const kinds = [...known, ...builtIn.map(([resource, kind]) => ({ resource, kind, version: "" }))];
  const found = chooseKind(kinds, wanted) ?? chooseKind(withDefinedNames(parts.fleet.picture, clusters, kinds), wanted);
  if (found !== undefined) return found;
  if (!parts.fleet.restore.progress.isDone)
    throw new FlotillaError("UNAVAILABLE", `the hub is still loading rows and knows no kind ${quote(wanted)} yet`);
  return notFound(
    `no cluster has a kind ${quote(wanted)}`,
    nearestKind(kinds, wanted) ?? "write it as kubectl does, such as pods or deploy.apps",
  );
}

/** Throws NOT_FOUND, with the nearest known id, for the first of the wanted ids that is not known. */
export function assertClustersKnown(known: ReadonlySet<string>, wanted: Iterable<string>): void {
  for (const id of wanted) {
    if (known.has(id)) continue;
    const nearest = findNearest(id, known);
    const hint = nearest === undefined ? "leave the filter empty to see all" : `did you mean ${quote(nearest)}?`;
    notFound(`there is no cluster ${quote(id)}`, hint);
  }
}

/** Undefined where none is meant. Throws INVALID_ARGUMENT where several are. */
function chooseKind(kinds: readonly KindNames[], wanted: string): string | undefined {
  const meant = matchKinds(kinds, wanted);
  if (meant.length < 2) return meant[0];
  throw new FlotillaError("INVALID_ARGUMENT", `${quote(wanted)} may be ${meant.join(" or ")}; write which`);
}

function nearestKind(kinds: readonly KindNames[], wanted: string): string | undefined {
  const plurals = kinds.map(({ resource }) => resource.slice(resource.indexOf("/") + 1));
  const nearest = findNearest(wanted, [...plurals, ...kinds.map(({ kind }) => kind)]);
  return nearest === undefined || nearest === "" ? undefined : `did you mean ${quote(nearest)}?`;
}

function notFound(sentence: string, hint: string): never {
  throw new FlotillaError("NOT_FOUND", `${sentence}; ${hint}`);
}
