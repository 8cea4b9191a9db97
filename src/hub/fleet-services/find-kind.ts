// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { findNearest } from "../../base/nearest.ts";
import { type KindNames, resolveKindName } from "../../kinds/resolve-kind-name.ts";
import type { Subject } from "../../model/subject.ts";
import { quote } from "../../model/text.ts";
import { kindNames } from "./cluster-message.ts";
import type { FleetParts } from "./fleet-parts.ts";
import { listKindNames, withDefinedNames } from "./kind-names.ts";

/**
 * The text of a kind's resource id in one cluster, by any name that kubectl accepts (CL3). Throws NOT_FOUND for a kind
 * unknown in that cluster, UNAVAILABLE when no kind is known yet, INVALID_ARGUMENT for an ambiguous name.
 */
export async function findKind(parts: FleetParts, subject: Subject, cluster: string, wanted: string): Promise<string> {
  const clusters = [cluster];
  const kinds = await listKindNames(parts, subject, clusters);
  const isKnown = resolveKindName(kinds, wanted).length > 0;
  const named = isKnown ? kinds : await withDefinedNames(parts.fleet.reader, subject, { clusters, kinds });
  return findKindAmong(named, cluster, wanted);
}

/** As `findKind`, among the given kinds. */
export function findKindAmong(kinds: readonly KindNames[], cluster: string, wanted: string): string {
  if (kinds.length === 0) {
    throw new FlotillaError(
      "UNAVAILABLE",
      `the agent of ${cluster} has not reported its kinds yet; try again when it is live`,
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
 * As `findKind`, in any of these clusters. Built-in kinds are known even when no cluster has them. While rows are
 * loaded after a start, an unknown kind is UNAVAILABLE.
 */
export async function findFleetKind(
  parts: FleetParts,
  subject: Subject,
  clusters: readonly string[],
  wanted: string,
): Promise<string> {
  const known = await listKindNames(parts, subject, clusters);
  const names = new Set(known.map(({ resource }) => resource));
  const builtIn = [...kindNames].filter(([resource]) => !names.has(resource));
  const kinds = [...known, ...builtIn.map(([resource, kind]) => ({ resource, kind, version: "" }))];
  const found =
    chooseKind(kinds, wanted) ??
    chooseKind(await withDefinedNames(parts.fleet.reader, subject, { clusters, kinds }), wanted);
  if (found !== undefined) return found;
  if (!parts.fleet.restore.progress.isDone)
    throw new FlotillaError("UNAVAILABLE", `the hub is still loading rows and knows no kind ${quote(wanted)} yet`);
  return notFound(
    `no cluster has a kind ${quote(wanted)}`,
    nearestKind(kinds, wanted) ?? "write it as kubectl does, such as pods or deploy.apps",
  );
}

/** Throws NOT_FOUND with the nearest known id for the first unknown one. */
export function assertClustersKnown(known: ReadonlySet<string>, wanted: Iterable<string>): void {
  for (const id of wanted) {
    if (known.has(id)) continue;
    const nearest = findNearest(id, known);
    const hint = nearest === undefined ? "leave the filter empty to see all" : `did you mean ${quote(nearest)}?`;
    notFound(`there is no cluster ${quote(id)}`, hint);
  }
}

/** Undefined when no kind matches. Throws INVALID_ARGUMENT when several do. */
function chooseKind(kinds: readonly KindNames[], wanted: string): string | undefined {
  const matches = resolveKindName(kinds, wanted);
  if (matches.length < 2) return matches[0];
  throw new FlotillaError("INVALID_ARGUMENT", `${quote(wanted)} is ambiguous: write ${matches.join(" or ")}`);
}

function nearestKind(kinds: readonly KindNames[], wanted: string): string | undefined {
  const plurals = kinds.map(({ resource }) => resource.slice(resource.indexOf("/") + 1));
  const nearest = findNearest(wanted, [...plurals, ...kinds.map(({ kind }) => kind)]);
  return nearest === undefined || nearest === "" ? undefined : `did you mean ${quote(nearest)}?`;
}

function notFound(sentence: string, hint: string): never {
  throw new FlotillaError("NOT_FOUND", `${sentence}; ${hint}`);
}
