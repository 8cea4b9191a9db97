// SPDX-License-Identifier: Apache-2.0
import type { ResourceId } from "../../model/gvr.ts";
import { groupVersionText } from "./parse-discovery.ts";
import type { Served, ServedResource } from "./served-resource.ts";

/**
 * A kind to collect: its resource, and the versions that can be read, the preferred one first. Empty if the server has
 * never listed its versions.
 */
export interface WantedKind {
  readonly resource: ResourceId;
  readonly versions: readonly string[];
}

/** The wanted kinds by outcome. Each is in exactly one list, in the given order. */
export interface ChosenVersions<Wanted extends WantedKind> {
  /** Served in a readable version. */
  readonly collected: readonly { readonly wanted: Wanted; readonly served: ServedResource }[];
  /** Not served, or only in versions that cannot be read. */
  readonly notInstalled: readonly Wanted[];
  /** The server could not answer (L4): the previous state is kept. */
  readonly undecided: readonly Wanted[];
}

/** Chooses the best served version of each wanted kind that supports list. Pure. */
export function chooseVersions<Wanted extends WantedKind>(
  wanted: readonly Wanted[],
  { resources, unknownGroupVersions }: Served,
): ChosenVersions<Wanted> {
  const byName = new Map(resources.map((each) => [nameOf(each, each.version), each]));
  const unknown = new Set(unknownGroupVersions);
  const unknownGroups = new Set(unknownGroupVersions.map(groupOf));
  const collected: { wanted: Wanted; served: ServedResource }[] = [];
  const notInstalled: Wanted[] = [];
  const undecided: Wanted[] = [];
  for (const each of wanted) {
    const served = each.versions
      .map((version) => byName.get(nameOf(each.resource, version)))
      .find((found) => found?.verbs.includes("list"));
    const isUnknown =
      each.versions.length === 0
        ? unknownGroups.has(each.resource.group)
        : each.versions.some((version) => unknown.has(groupVersionText(each.resource.group, version)));
    if (served !== undefined) collected.push({ wanted: each, served });
    else (isUnknown ? undecided : notInstalled).push(each);
  }
  return { collected, notInstalled, undecided };
}

function groupOf(groupVersion: string): string {
  return groupVersion.slice(0, Math.max(0, groupVersion.indexOf("/")));
}

function nameOf({ group, resource }: ResourceId, version: string): string {
  return `${groupVersionText(group, version)}/${resource}`;
}
